// Checks `troupe run --roles` on a provider's real SDK against a loopback server: what the model is told, and Ctrl-C.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

const delegates = (...goals: readonly string[]) =>
  ({
    type: 'message',
    toolCalls: [
      {
        id: 'd1',
        name: 'delegate_task',
        input: { tasks: goals.map((goal) => ({ goal, toolsets: ['file'] })) },
      },
    ],
  }) as const;
const reads = (path: string) =>
  ({ type: 'message', toolCalls: [{ id: `r_${path}`, name: 'read', input: { path } }] }) as const;

/** One agent at a time, so that the replies come in the order of the turns: the orchestrator is parked meanwhile. */
function start(...more: readonly string[]) {
  const cwd = folderWith({ 'a.md': 'bolts of a', 'b.md': 'bolts of b', 'c.md': 'c' });
  const job = ['run', '--roles', '--goal', 'Compare them', '--each', '*.md', '--concurrency', '1'];
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-kept-secret' };
  const args = [...job, '--model', 'anthropic:claude-x', ...more];
  return { cwd, running: startTroupe(args, { cwd, env }) };
}

test('a model is told its place, its limits and its files, and gets back what its subagents found', async () => {
  server.reply(
    delegates('Read a.md', 'Read b.md'),
    reads('a.md'),
    { type: 'message', text: 'a has bolts' },
    { type: 'message', text: 'b has more' },
    { type: 'message', text: 'b has more bolts than a' },
  );
  const { cwd, running } = start('--children', '2');

  const { code, stdout, stderr } = await running.ended;

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\n\nb has more bolts than a\n\n/);
  expect(recordsIn(cwd).map(({ goal, text }) => [goal, text])).toEqual([
    ['Read a.md', 'a has bolts'],
    ['Read b.md', 'b has more'],
    ['Compare them', 'b has more bolts than a'],
  ]);
  const [first, child, , , last] = server.requests().map(({ body }) => JSON.stringify(body));
  for (const expected of ['at depth 0 of 2', 'At most 2 tasks in one call', '- a.md\\n- b.md']) {
    expect(first).toContain(expected);
  }
  expect(child).not.toContain('delegate_task');
  expect(last).toContain('a has bolts');
  expect(stdout + JSON.stringify(recordsIn(cwd))).not.toContain('sk-kept-secret');
});

test('Ctrl-C in the middle ends the whole tree, keeps what finished and hands over what did not (C32)', async () => {
  server.reply(
    delegates('Read a.md', 'Read b.md', 'Read c.md'),
    { type: 'message', text: 'a has bolts' },
    reads('b.md'),
    { type: 'silence', text: 'half an ans' },
  );
  const { cwd, running } = start();

  for (let request = 1; request <= 4; request += 1) await server.nextRequest();
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;

  expect(code).toBe(130);
  expect(stderr).toMatch(/^troupe: interrupting: finished results are kept/);
  expect(stdout).toMatch(/^■ Compare them ▸ Read b\.md \[2\/3\] +interrupted .* partial: 2 turns/m);
  expect(stdout).toMatch(
    /^interrupted: 0 finished and kept, 1 partial, 0 not started, 1 subtask finished and kept$/m,
  );
  const records = recordsIn(cwd);
  expect(records).toHaveLength(4);
  expect(records[0]).toMatchObject({ goal: 'Read a.md', status: 'completed', text: 'a has bolts' });
  expect(records.find(({ goal }) => goal === 'Read b.md')).toMatchObject({
    status: 'interrupted',
    partial: { toolTrace: [{ name: 'read', status: 'completed' }] },
  });
  expect(records.find(({ goal }) => goal === 'Read c.md')).toMatchObject({
    status: 'interrupted',
    partial: { phase: 'queued' },
  });
  expect(records.at(-1)).toMatchObject({
    goal: 'Compare them',
    status: 'interrupted',
    parentTaskId: null,
    partial: { toolTrace: [{ name: 'delegate_task' }] },
  });
});

test('a subtask that fails makes the exit code 1, and its parent hears of it', async () => {
  server.reply(
    delegates('Read a.md'),
    { type: 'error', status: 400, message: 'no such thing' },
    { type: 'message', text: 'it could not be read' },
  );
  const { cwd, running } = start('--progress', 'none');

  const { code, stdout } = await running.ended;

  expect(code).toBe(1);
  expect(stdout).toMatch(/^1 task · 1 completed · 1 subtask: 1 failed · /m);
  expect(recordsIn(cwd).map(({ status }) => status)).toEqual(['failed', 'completed']);
});
