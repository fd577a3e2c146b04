// Checks `--budget-usd` on the built command with a provider's model: prices are known, and the budget is kept.
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';

test('--budget-usd lets a priced model work, and stops the job when it is spent (V10)', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 100_000 };
  const costly = { type: 'message', text: 'done', usage } as const;
  const server = await startStubModelServer([costly, costly, costly]);
  try {
    const cwd = folderWith({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.md': 'd' });
    const job = ['run', '--each', '*.md', '--goal', 'Read {file}', '--concurrency', '1'];
    const args = [...job, '--model', 'anthropic:claude-sonnet-5', '--budget-usd', '1.5'];
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };

    const { code, stdout } = await startTroupe(args, { cwd, env }).ended;

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^stopped: the budget of \$1\.50 is spent: 3 finished and kept, 0 partial, 1 not started/m,
    );
    const usageOf = { own: { costUsd: expect.any(Number) } };
    expect(recordsIn(cwd)).toMatchObject([
      { status: 'completed', usage: usageOf },
      { status: 'completed', usage: usageOf },
      { status: 'failed', error: { code: 'budget_cost', detail: { scope: 'job' } } },
    ]);
    expect(server.requests()).toHaveLength(2);
    expect(JSON.stringify(recordsIn(cwd))).not.toContain('dummy');
  } finally {
    await server.close();
  }
});

const job = ['run', '--goal', 'Say hello.', '--progress', 'none', '--budget-usd', '5'];

test('--budget-usd is kept at no cost by the offline model (V10)', async () => {
  const cwd = folderWith({});

  const { code } = await startTroupe(job, { cwd }).ended;

  expect(code).toBe(0);
  expect(recordsIn(cwd)).toMatchObject([{ status: 'completed', usage: { own: { costUsd: 0 } } }]);
});

test.each([
  ['the job', ['--model', 'openai:my-model']],
  ['a task', ['tasks.jsonl']],
])(
  '--budget-usd refuses a model of %s without a price, and --price gives it one (V10)',
  async (_, added) => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const server = await startStubModelServer([{ type: 'message', text: 'Hello.', usage }]);
    try {
      const task = JSON.stringify({ goal: 'Say hello.', model: 'openai:my-model' });
      const folder = () => folderWith({ 'tasks.jsonl': `${task}\n` });
      const cwd = folder();
      const isFile = added[0] === 'tasks.jsonl';
      const args = [...(isFile ? ['run', ...job.slice(3)] : job), ...added];
      const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'none' };

      const refused = await startTroupe(args, { cwd: folder(), env }).ended;
      expect(server.requests()).toEqual([]);
      const works = await startTroupe([...args, '--price', 'my-model=1000,10000'], { cwd, env })
        .ended;

      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('no price is known for the model my-model');
      expect(refused.stderr).toContain("--price 'my-model=<in>,<out>'");
      expect({ code: works.code, stderr: works.stderr }).toEqual({ code: 0, stderr: '' });
      expect(recordsIn(cwd)).toMatchObject([
        { status: 'completed', usage: { own: { costUsd: 2 } } },
      ]);
    } finally {
      await server.close();
    }
  },
);
