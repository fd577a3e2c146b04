// Checks the offline model over a map of files: which tools it calls, what it says of them.
import { describe, expect, it } from 'vitest';
import { offline } from '#src/models/offline/offline.js';
import type { Message } from '#src/protocol/history.js';
import type { ToolSchema } from '#src/protocol/model-head.js';
import type { ModelResponse } from '#src/protocol/model-messages.js';
import { modelCall, rejection, request } from '../support.ts';

const fileTools: readonly ToolSchema[] = [
  'list',
  'glob',
  'read',
  'grep',
  'edit',
  'apply_patch',
  'write',
].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
}));

type Files = Readonly<Record<string, string>>;

/** Plays an agent over a map of files until the model answers; at most ten turns. */
async function run(goal: string, files: Files, tools = fileTools) {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: goal }] }];
  const called: string[] = [];
  const call = modelCall();
  for (let turn = 1; turn <= 10; turn += 1) {
    const response = await offline().respond(
      request({ messages: [...messages], tools, turn }),
      call,
    );
    if (response.stopReason !== 'tool_use') {
      return { text: textOf(response), turn, called, response, deltas: call.deltas };
    }
    messages.push({ role: 'assistant', content: response.content });
    const content = response.content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const input = block.input as { readonly path?: string };
      called.push(`${block.name} ${input.path ?? ''}`.trim());
      return [
        { type: 'tool_result' as const, tool_use_id: block.id, ...answer(block.name, input) },
      ];
    });
    messages.push({ role: 'user', content });
  }
  throw new Error('the offline model never answered');

  function answer(name: string, { path }: { readonly path?: string }) {
    if (name === 'list') return { content: Object.keys(files).join('\n') };
    if (name === 'grep') return { content: '3: export const late = 1;' };
    const content = files[path ?? ''];
    if (content === undefined) return { content: `no such file: ${path}`, is_error: true };
    return { content };
  }
}

function textOf(response: ModelResponse): string {
  return response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

describe('offline', () => {
  it('reads the file a goal names and quotes it', async () => {
    const clock = '// Owns time.\n/** Reads it. */\nexport const now = 1;\n';

    const { text, called, turn } = await run('Read src/base/clock.ts and say what it owns.', {
      'src/base/clock.ts': clock,
    });

    expect(called).toEqual(['read src/base/clock.ts']);
    expect(turn).toBe(2);
    expect(text).toBe(
      'src/base/clock.ts (3 lines)\nOpens with: “Owns time.”\nExports (1): now\n- now: Reads it.',
    );
  });

  it('reads several named files in one turn', async () => {
    const { called, text } = await run('Compare a.md and b.md', { 'a.md': '# A', 'b.md': '# B' });

    expect(called).toEqual(['read a.md', 'read b.md']);
    expect(text).toContain('Headings (1): A');
    expect(text).toContain('Headings (1): B');
  });

  it('reads on when a goal names more files than one turn opens, and names those it left', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `f${index}.md`);
    const files = Object.fromEntries(names.map((name) => [name, `# ${name}`]));
    const list = names.map((name) => `- ${name}`).join('\n');

    const { called, text, turn } = await run(`Read.\n\nFiles:\n${list}`, files);

    expect(called).toEqual(names.slice(0, 12).map((name) => `read ${name}`));
    expect(turn).toBe(4);
    expect(text).toMatch(/\nNot read: f12\.md, f13\.md$/);
  });

  it('lists when no file is named, then reads what the goal is about', async () => {
    const { called } = await run('Explain the mailbox', {
      'README.md': '# R',
      'src/mailbox.ts': 'export const m = 1;',
    });

    expect(called).toEqual(['list', 'read src/mailbox.ts']);
  });

  it('searches the structure of a file that came back cut', async () => {
    const cut = 'export const early = 1;\n[cut: 1 of 900 lines shown]';

    const { called, text, turn } = await run('Read big.ts', { 'big.ts': cut });

    expect(called).toEqual(['read big.ts', 'grep big.ts']);
    expect(turn).toBe(3);
    expect(text).toContain('first 1 line read, [cut: 1 of 900 lines shown]');
    expect(text).toContain('export const late');
  });

  it('strips the line numbers some tools add', async () => {
    const { text } = await run('Read a.ts', { 'a.ts': '1\t// Owns a.\n2\texport const a = 1;' });

    expect(text).toContain('Opens with: “Owns a.”');
    expect(text).toContain('Exports (1): a');
  });

  it('reports a tool that failed', async () => {
    const { text, turn } = await run('Read gone.ts', {});

    expect(text).toBe('read gone.ts failed: no such file: gone.ts');
    expect(turn).toBe(2);
  });

  it.each([
    ['(empty file)', 'a.ts (0 lines)\nExports nothing.'],
    ['# A\n[cut after line 1: read on with offset 2]', 'a.ts (first 1 line read'],
  ])('takes %j for the words of the tool', async (content, expected) => {
    const { text } = await run('Read a.ts', { 'a.ts': content });

    expect(text).toContain(expected);
  });

  it('quotes the prompt when it has no tools', async () => {
    const { text } = await run('Read a.ts', {}, []);

    expect(text).toBe('No tool was at hand, so this only quotes the prompt: “Read a.ts”');
  });

  it('starts anew with the next goal of the same history', async () => {
    const before: Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'Read a.ts' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
      { role: 'user', content: [{ type: 'text', text: 'Now b.ts' }] },
    ];

    const answer = await offline().respond(
      request({ messages: before, tools: fileTools }),
      modelCall(),
    );

    expect(answer.content).toEqual([
      { type: 'tool_use', id: 'call_3_1', name: 'read', input: { path: 'b.ts' } },
    ]);
  });

  it('says that it is offline and that its counts are estimates', async () => {
    const { response, deltas } = await run('Read a.ts', { 'a.ts': '' });

    expect(response).toMatchObject({ model: 'offline', isEstimated: true });
    expect(response.usage.inputTokens).toBeGreaterThan(0);
    expect(deltas).toEqual([{ type: 'text', text: textOf(response) }]);
  });

  it('keeps to the output limit and says so', async () => {
    const response = await offline().respond(request({ maxOutputTokens: 5 }), modelCall());

    expect(textOf(response)).toHaveLength(20);
    expect(response.stopReason).toBe('max_tokens');
  });

  it('refuses to start once aborted', async () => {
    const call = modelCall();
    call.abort();

    expect(await rejection(offline().respond(request(), call))).toMatchObject({ code: 'aborted' });
  });
});
