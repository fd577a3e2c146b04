// Checks Ctrl-C on the built command: what is finished is kept, what runs says what it had, and twice means now.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';
import { groupIsGone } from '../support/processes.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

const documents = { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.md': `${'a'.repeat(40)}!` };

function start(...more: readonly string[]) {
  const cwd = folderWith(documents);
  const each = ['--each', '*.md', '--goal', 'Read {file}', '--toolsets', 'file'];
  const args = ['run', ...each, '--model', 'anthropic:claude-x', ...more];
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
  return { cwd, running: startTroupe(args, { cwd, env }) };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s keeps what is finished, hands over what is not, and ends with 130',
  async (signal) => {
    server.reply(
      { type: 'message', text: 'the first is done' },
      { type: 'message', toolCalls: [{ id: 'c1', name: 'read', input: { path: 'b.md' } }] },
      { type: 'silence', text: 'half an ans' },
    );
    const { cwd, running } = start('--concurrency', '1');

    await running.says('end    a.md  completed');
    for (let request = 1; request <= 3; request += 1) await server.nextRequest();
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.ended;

    expect(code).toBe(130);
    expect(stderr).toMatch(/^troupe: interrupting: finished results are kept/);
    expect(stdout).toMatch(/^■ b\.md +interrupted .* partial: 2 turns, 1 tool call/m);
    expect(stdout).toMatch(/^interrupted: 1 finished and kept, 1 partial, 2 not started$/m);
    expect(recordsIn(cwd)).toMatchObject([
      { file: 'a.md', status: 'completed', text: 'the first is done' },
      { file: 'b.md', status: 'interrupted', partial: { toolTrace: [{ name: 'read' }] } },
    ]);
  },
);

test('a second one ends the process at once, while an agent still spins', async () => {
  const spin = { pattern: '^(a+)+$', path: 'd.md' };
  server.reply(
    { type: 'message', text: 'the first is done' },
    { type: 'message', toolCalls: [{ id: 'c1', name: 'grep', input: spin }] },
  );
  const { cwd, running } = start('--concurrency', '1', '--progress', 'json');

  await running.says('"type":"tool_started"');
  running.child.kill('SIGINT');
  await running.says('interrupting');
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;

  expect(code).toBe(130);
  expect(stderr).not.toContain('finished and kept');
  expect(recordsIn(cwd)).toMatchObject([{ file: 'a.md', status: 'completed' }]);
});

test('a second one leaves no command behind, not even one that hears no SIGTERM', async () => {
  const deaf = { command: "trap '' TERM; echo group $$" };
  const spin = { pattern: '^(a+)+$', path: 'd.md' };
  server.reply(
    { type: 'message', toolCalls: [{ id: 'c1', name: 'terminal', input: deaf }] },
    // The other agent, which keeps the job from its end.
    { type: 'message', toolCalls: [{ id: 'c2', name: 'grep', input: spin }] },
    {
      type: 'message',
      toolCalls: [{ id: 'c3', name: 'terminal', input: { command: 'sleep 600' } }],
    },
  );
  const { running } = start(
    '--concurrency',
    '2',
    '--progress',
    'json',
    '--toolsets',
    'file,terminal',
  );

  for (let request = 1; request <= 2; request += 1) await server.nextRequest();
  const { body } = await server.nextRequest();
  const group = Number(/group (\d+)/.exec(JSON.stringify(body))?.[1]);
  await running.says('"callId":"c2"');
  await running.says('"callId":"c3"');
  running.child.kill('SIGINT');
  await running.says('interrupting');
  running.child.kill('SIGINT');
  const { code } = await running.ended;

  expect(group).toBeGreaterThan(1);
  expect(code).toBe(130);
  await groupIsGone(group);
});

test('an interrupt before anything was answered leaves an empty, whole file', async () => {
  server.reply(...documentsAsSilence());
  const { cwd, running } = start();

  await server.nextRequest();
  running.child.kill('SIGINT');
  const { code, stdout } = await running.ended;

  expect(code).toBe(130);
  expect(stdout).toMatch(/^interrupted: 0 finished and kept, /m);
  for (const record of recordsIn(cwd)) expect(record).toMatchObject({ status: 'interrupted' });
});

function documentsAsSilence() {
  return Object.keys(documents).map(() => ({ type: 'silence' }) as const);
}
