// Checks the main job's command on providers' real SDKs against a loopback server: tools called, results recorded, no key shown.
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';

const usage = { input_tokens: 10, output_tokens: 5 };

test.each([
  ['anthropic', 'claude-sonnet-5', '/v1/messages', ''],
  ['openai', 'gpt-5', '/v1/chat/completions', '/v1'],
])('the job reads its files through the SDK of %s', async (provider, model, path, suffix) => {
  const reads = (file: string) =>
    ({
      type: 'message',
      toolCalls: [{ id: `read_${file}`, name: 'read', input: { path: `${file}.md` } }],
      usage,
    }) as const;
  const says = { type: 'message', text: ['It is ', 'about bolts.'], usage } as const;
  // One at a time, so that the server's replies come in the order of the turns.
  const server = await startStubModelServer([reads('a'), says, reads('b'), says]);
  try {
    const cwd = folderWith({ 'a.md': 'bolts of a', 'b.md': 'bolts of b' });
    const name = provider.toUpperCase();
    const env = {
      [`${name}_BASE_URL`]: server.url.replace(/\/v1$/, '') + suffix,
      [`${name}_API_KEY`]: 'sk-kept-secret',
    };
    const job = ['run', '--each', '*.md', '--goal', 'Summarise {file}', '--toolsets', 'file'];
    const how = ['--concurrency', '1', '--model', `${provider}:${model}`];

    const { code, stdout, stderr } = await startTroupe([...job, ...how], { cwd, env }).ended;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(recordsIn(cwd)).toMatchObject(
      ['a.md', 'b.md'].map((file) => ({
        file,
        status: 'completed',
        text: 'It is about bolts.',
        turns: 2,
        toolCalls: 1,
        usage: { own: { inputTokens: 20, outputTokens: 10, modelCalls: 2 } },
      })),
    );
    const requests = server.requests();
    expect(requests).toHaveLength(4);
    for (const request of requests) expect(request.path).toContain(path);
    expect(JSON.stringify(requests[1]?.body)).toContain('bolts of a');
    expect(JSON.stringify(requests[3]?.body)).toContain('bolts of b');
    expect(stdout + JSON.stringify(recordsIn(cwd))).not.toContain('sk-kept-secret');
  } finally {
    await server.close();
  }
});
