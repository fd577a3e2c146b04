// Checks Ctrl-C on the built command: what is finished is kept, what runs says what it had, and twice means now.
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#src/base/clock.js';
import { readCommandLine } from '#src/cli/command-line.js';
import { Output } from '#src/cli/output.js';
import { run } from '#src/cli/run.js';
import { interruptNotice } from '#src/cli/summary.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe } from '../support/command.ts';
import { groupIsGone, threadSpins } from '../support/processes.ts';

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

test('one keeps what is finished on standard output as well', async () => {
  server.reply({ type: 'message', text: 'the first is done' }, { type: 'silence', text: 'half' });
  const { running } = start('--concurrency', '1', '--out', '-');

  await running.says('end    a.md  completed');
  for (let request = 1; request <= 2; request += 1) await server.nextRequest();
  running.child.kill('SIGINT');
  const { code, stdout } = await running.ended;

  expect(code).toBe(130);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { file: 'a.md', status: 'completed', text: 'the first is done' },
    { file: 'b.md', status: 'interrupted' },
  ]);
});

test('a second one ends the process at once, while an agent still spins', async () => {
  const spin = { pattern: '^(a+)+$', path: 'd.md' };
  server.reply(
    { type: 'message', text: 'the first is done' },
    { type: 'message', toolCalls: [{ id: 'c1', name: 'grep', input: spin }] },
  );
  const { cwd, running } = start('--concurrency', '1', '--progress', 'json');

  await running.says('"type":"tool_started"');
  // Until it spins it can still obey the first one.
  await threadSpins(Number(running.child.pid));
  running.child.kill('SIGINT');
  await running.says('interrupting');
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;

  expect(code).toBe(130);
  expect(stderr).not.toContain('finished and kept');
  expect(recordsIn(cwd)).toMatchObject([{ file: 'a.md', status: 'completed' }]);
});

test('a second one leaves no command behind, not even one that hears no SIGTERM', async () => {
  const deaf = { command: "trap '' TERM; echo group $PPID" };
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
  await threadSpins(Number(running.child.pid));
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

test('one while files are still looked for leaves the results of before as they were', async () => {
  const folder = folderWith({ ...documents, 'results.jsonl': '{"text":"of before"}\n' });
  const listened = new EventEmitter();
  // What the command needs of a process; the real one would hear the signal at a moment of its own.
  const process = Object.assign(listened, { cwd: () => folder, env: {} }) as NodeJS.Process;
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const output = new Output(stream);
  const read = readCommandLine(['run', '--each', '*.md', '--goal', 'Read {file}'], '0');
  if (read.type !== 'run') throw new Error(JSON.stringify(read));

  const ended = run(read.options, { process, stdout: output, stderr: output, clock: systemClock });
  listened.emit('SIGINT');

  expect(await ended).toBe(130);
  expect(String(stream.read())).toBe(`troupe: ${interruptNotice}\n`);
  expect(recordsIn(folder)).toEqual([{ text: 'of before' }]);
});

function documentsAsSilence() {
  return Object.keys(documents).map(() => ({ type: 'silence' }) as const);
}
