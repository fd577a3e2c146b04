// Checks `--budget-usd` on the built command with a provider's model: prices are known, and the budget is kept.
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';

test('V10 --budget-usd lets a priced model work, and stops the job when it is spent', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 100_000 };
  const costly = { type: 'message', text: 'done', usage } as const;
  const server = await startStubModelServer([costly, costly, costly]);
  try {
    const cwd = folderWith({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
    const job = ['run', '--each', '*.md', '--goal', 'Read {file}', '--concurrency', '1'];
    const args = [...job, '--model', 'anthropic:claude-sonnet-5', '--budget-usd', '1.5'];
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };

    const { code, stdout } = await startTroupe(args, { cwd, env }).ended;

    expect(code).toBe(1);
    expect(stdout).toMatch(/^stopped: the budget of \$1\.50 is spent: 2 finished and kept/m);
    const records = recordsIn(cwd).filter(({ status }) => status === 'completed');
    expect(records).toHaveLength(2);
    for (const record of records) {
      expect(record).toMatchObject({ usage: { own: { costUsd: expect.any(Number) } } });
    }
    expect(JSON.stringify(recordsIn(cwd))).not.toContain('dummy');
  } finally {
    await server.close();
  }
});
