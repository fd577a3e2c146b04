// Checks `troupe run --journal`: a job that is killed or interrupted goes on in the middle of its tasks, each has one line.
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe, troupe } from '../support/command.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

const documents = { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' };
const goal = ['--goal', 'Read {file}', '--toolsets', 'file', '--journal', 'job.db'];
const readEach = ['run', '--each', '*', ...goal];
const reads = {
  type: 'message' as const,
  toolCalls: [{ id: 'c1', name: 'read', input: { path: 'b.md' } }],
};

function start(cwd: string, ...more: readonly string[]) {
  const args = [...readEach, '--model', 'anthropic:claude-x', '--concurrency', '1', ...more];
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
  return startTroupe(args, { cwd, env });
}

const byFile = (cwd: string) => {
  return new Map(recordsIn(cwd).map((record) => [record['file'], record]));
};

/** A job whose second task has read its file when it is signalled. */
async function signalled(signal: 'SIGKILL' | 'SIGINT') {
  server.reply({ type: 'message', text: 'first' }, reads, { type: 'silence' });
  const cwd = folderWith(documents);
  const running = start(cwd);
  await running.says('end    a.md  completed');
  for (let request = 1; request <= 3; request += 1) await server.nextRequest();
  running.child.kill(signal);
  return { cwd, ended: await running.ended };
}

test.each(['SIGKILL', 'SIGINT'] as const)(
  'goes on after %s where it was, and each task has one line (J1, J2)',
  async (signal) => {
    const { cwd, ended } = await signalled(signal);
    expect(recordsIn(cwd)).toMatchObject([{ file: 'a.md', status: 'completed' }]);
    if (signal === 'SIGINT') {
      expect(ended.code).toBe(130);
      expect(ended.stderr).toMatch(/^troupe: stopping: the same command goes on where it was/);
      expect(ended.stdout).toMatch(
        /^interrupted: 1 finished and kept, 2 left for the same command$/m,
      );
    }

    server.reply({ type: 'message', text: 'second' }, { type: 'message', text: 'third' });
    const { code, stdout, stderr } = await start(cwd).ended;

    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'troupe: going on: 1 of 3 tasks ended in results.jsonl, 1 unfinished, 1 to run\n',
    });
    expect(stdout).toMatch(/^go on {2}b\.md {2}after 1 turn$/m);
    expect(stdout).toMatch(/^start {2}c\.md$/m);
    expect(recordsIn(cwd)).toMatchObject([
      { file: 'a.md', text: 'first', turns: 1 },
      { file: 'b.md', text: 'second', turns: 2, toolCalls: 1 },
      { file: 'c.md', text: 'third' },
    ]);

    const again = await start(cwd).ended;
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toMatch(/^troupe: nothing to run: 3 of 3 tasks ended in results\.jsonl/);
  },
);

test('gives the results again when their file is gone, and asks no model', async () => {
  const cwd = folderWith(documents);
  await troupe(readEach, cwd);
  const before = byFile(cwd);
  rmSync(join(cwd, 'results.jsonl'));

  const { code, stdout } = await troupe(readEach, cwd);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^3 tasks · 3 completed/m);
  expect(stdout).toMatch(/^0 tokens in, 0 out/m);
  expect(byFile(cwd)).toEqual(before);
});

test('runs again with --resume what is not completed, and only then', async () => {
  const cwd = folderWith({ 'a.md': 'a' });
  server.reply(
    { type: 'error', status: 400, message: 'no such field' },
    { type: 'message', text: 'better' },
  );
  const failed = await start(cwd).ended;
  const left = await start(cwd).ended;
  const resumed = await start(cwd, '--resume').ended;

  expect([failed.code, left.code, resumed.code]).toEqual([1, 1, 0]);
  expect(recordsIn(cwd).map(({ status }) => status)).toEqual(['failed', 'completed']);
});

test('leaves results alone that are not of its journal, and a journal alone that is in use', async () => {
  const cwd = folderWith(documents);
  await troupe(['run', '--each', '*.md', '--goal', 'Read {file}'], cwd);

  const refused = await troupe(readEach, cwd);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/--out results\.jsonl cannot be written: it exists already/);

  server.reply({ type: 'silence' });
  const running = start(cwd, '--out', 'other.jsonl');
  await server.nextRequest();
  const second = await start(cwd, '--out', 'third.jsonl').ended;
  expect(second.code).toBe(2);
  expect(second.stderr).toMatch(/--journal job\.db cannot be used: another process/);
  running.child.kill('SIGKILL');
  await running.ended;
});

test('gives each line of a file of tasks its result when two have one key', async () => {
  const line = (goal: string) => `${JSON.stringify({ goal, idempotencyKey: 'k' })}\n`;
  const cwd = folderWith({ 'tasks.jsonl': line('one') + line('two') });

  const { code } = await troupe(['run', 'tasks.jsonl', '--journal', 'job.db'], cwd);

  expect(code).toBe(0);
  const records = recordsIn(cwd);
  expect(records.map(({ line }) => line).sort()).toEqual([1, 2]);
  expect(new Set(records.map(({ taskId }) => taskId)).size).toBe(1);
});

test('counts for its budget what the life before has paid (J2)', async () => {
  const prices = ['--price', 'claude-x=1000,1000'];
  const cwd = folderWith(documents);
  server.reply({ type: 'message', text: 'first' }, { type: 'silence' });
  const running = start(cwd, ...prices);
  await running.says('end    a.md  completed');
  for (let request = 1; request <= 2; request += 1) await server.nextRequest();
  running.child.kill('SIGKILL');
  await running.ended;

  const { code, stdout } = await start(cwd, ...prices, '--budget-usd', '0.001').ended;

  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^stopped: the budget of \$0\.001\d* is spent: 0 finished and kept, 2 left/m,
  );
  expect(recordsIn(cwd)).toHaveLength(1);
});

test('has each line once after any number of kills (J1, J4)', { timeout: 120_000 }, async () => {
  const names = Array.from({ length: 30 }, (_, at) => `d${at}.txt`);
  const cwd = folderWith(Object.fromEntries(names.map((name) => [name, `text of ${name}`])));
  for (let life = 0; life < 6; life += 1) {
    const running = startTroupe(['run', '--each', '*.txt', ...goal, '--concurrency', '2'], { cwd });
    const lines = randomInt(1, 12);
    await Promise.race([running.says(new RegExp(`(end .*\\n[^]*){${lines}}`)), running.ended]);
    running.child.kill('SIGKILL');
    await running.ended;
  }
  const last = await startTroupe(['run', '--each', '*.txt', ...goal], { cwd }).ended;

  expect(last.code).toBe(0);
  const records = recordsIn(cwd);
  expect(records.map(({ file }) => file).sort()).toEqual([...names].sort());
  expect(records.every(({ status }) => status === 'completed')).toBe(true);
});

test('goes on with a tree, and each of its agents has one line (J2)', {
  timeout: 120_000,
}, async () => {
  const cwd = folderWith(documents);
  const tasks = ['Read a.md', 'Read b.md'].map((each) => ({ goal: each, toolsets: ['file'] }));
  const input = { tasks };
  server.reply(
    { type: 'message', toolCalls: [{ id: 'd1', name: 'delegate_task', input }] },
    { type: 'message', text: 'a is short' },
    { type: 'silence' },
  );
  const args = ['run', '--roles', '--goal', 'Compare', '--each', '*.md', '--concurrency', '1'];
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
  const job = [...args, '--journal', 'tree.db', '--model', 'anthropic:claude-x'];
  const running = startTroupe(job, { cwd, env });
  for (let request = 1; request <= 3; request += 1) await server.nextRequest();
  running.child.kill('SIGKILL');
  await running.ended;
  // The process ended before it had written the line of its first subagent.
  rmSync(join(cwd, 'results.jsonl'));
  // Another job on the same file gets no line of it.
  const other = ['run', '--goal', 'Say hello', '--journal', 'tree.db', '--out', 'other.jsonl'];
  for (let life = 1; life <= 2; life += 1) await troupe(other, cwd);
  expect(recordsIn(cwd, 'other.jsonl')).toMatchObject([{ goal: 'Say hello' }]);

  server.reply({ type: 'message', text: 'b is shorter' }, { type: 'message', text: 'compared' });
  const { code, stdout, stderr } = await startTroupe(job, { cwd, env }).ended;

  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/^troupe: going on: 0 of 1 task ended in results.jsonl, 1 unfinished/);
  expect(stdout).toMatch(/^go on {2}Compare {2}after 1 turn$/m);
  expect(stdout).toMatch(/2 subtasks: 2 completed/);
  const records = recordsIn(cwd);
  expect(records.map(({ goal, text }) => [goal, text])).toEqual([
    ['Read a.md', 'a is short'],
    ['Read b.md', 'b is shorter'],
    ['Compare', 'compared'],
  ]);
  const [first, second, top] = records;
  expect([first?.['parentTaskId'], second?.['parentTaskId']]).toEqual([
    top?.['taskId'],
    top?.['taskId'],
  ]);
});
