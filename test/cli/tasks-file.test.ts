// Checks that a file of tasks is read to its end before the first task starts: one wrong line, and nothing has cost anything.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { bin, folderWith, recordsIn, start, startTroupe, troupe } from '../support/command.ts';

test('a line that is no task stops the job before its first request, with file and line', async () => {
  const server = await startStubModelServer();
  try {
    const lines = ['{"goal":"One."}', '{"goal":', '', '{"gaol":"x"}', '{"goal":"Two."}'];
    const cwd = folderWith({ 'in/tasks.jsonl': lines.join('\n') });
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
    const args = ['run', 'in/tasks.jsonl', '--model', 'anthropic:claude-x'];

    const { code, stdout, stderr } = await startTroupe(args, { cwd, env }).ended;

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^troupe: in\/tasks\.jsonl:2: not JSON: .*\ntroupe: in\/tasks\.jsonl:4: .*goal.*\ntroupe: in\/tasks\.jsonl has 2 lines that cannot be run: nothing was started\n$/,
    );
    expect(readdirSync(cwd)).toEqual(['in']);
    expect(server.requests()).toEqual([]);
  } finally {
    await server.close();
  }
});

test('many wrong lines are named to the tenth, and counted', async () => {
  const cwd = folderWith({ 'tasks.jsonl': 'x\n'.repeat(25) });

  const { code, stderr } = await troupe(['run', 'tasks.jsonl'], cwd);

  expect(code).toBe(2);
  expect(stderr.match(/^troupe: tasks\.jsonl:\d+: not JSON/gm)).toHaveLength(10);
  expect(stderr).toContain('troupe: tasks.jsonl: 15 more lines of this kind\n');
  expect(stderr).toContain('troupe: tasks.jsonl has 25 lines that cannot be run');
});

test('a line too long to be read is named, and nothing starts', async () => {
  const cwd = folderWith({ 'tasks.jsonl': `{"goal":"One."}\n${'x'.repeat(17_000_000)}` });

  const { code, stderr } = await troupe(['run', 'tasks.jsonl'], cwd);

  expect(code).toBe(2);
  expect(stderr).toMatch(/^troupe: tasks\.jsonl:2: the line is too long/);
  expect(readdirSync(cwd)).toEqual(['tasks.jsonl']);
});

test.each([
  ['{"goal":"One."}\\n{"goal":"Two."}\\n', 0, 2],
  ['{"goal":"One."}\\nno task\\n', 2, null],
])('tasks of a pipe are checked like those of a file: %s', async (text, exitCode, count) => {
  const cwd = folderWith();
  const line = `printf '${text}' | "$NODE" "$BIN" run /dev/stdin --concurrency 1`;

  const env = { NODE: process.execPath, BIN: bin };
  const { code, stderr } = await start('sh', ['-c', line], { cwd, env }).ended;

  expect(code).toBe(exitCode);
  if (count === null) expect(stderr).toMatch(/^troupe: \/dev\/stdin:2: not JSON/);
  else {
    expect(recordsIn(cwd).map(({ goal, line: at }) => [goal, at])).toEqual([
      ['One.', 1],
      ['Two.', 2],
    ]);
  }
});

test('with --keep-going the other lines are run, and each wrong one has a failed record', async () => {
  const lines = [
    '{"goal":"One."}',
    '{"goal":',
    '',
    '{"goal":"Three.","agent":"nobody"}',
    '{"goal":"Two."}',
  ];
  const cwd = folderWith({ 'tasks.jsonl': lines.join('\n') });
  const args = ['run', 'tasks.jsonl', '--keep-going', '--concurrency', '1'];

  const { code, stdout, stderr } = await troupe(args, cwd);

  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(recordsIn(cwd)).toMatchObject([
    { input: 'tasks.jsonl', line: 2, goal: '', status: 'failed', error: { code: 'invalid_task' } },
    { line: 4, goal: 'Three.', status: 'failed', error: { code: 'unknown_agent' } },
    { line: 1, goal: 'One.', status: 'completed' },
    { line: 5, goal: 'Two.', status: 'completed' },
  ]);
  expect(stdout).toMatch(/^4 tasks · 2 completed · 2 failed/m);
  expect(stdout).toMatch(/tasks\.jsonl:2 .*failed.*invalid_task: tasks\.jsonl:2: not JSON/);

  const resumed = await troupe([...args, '--resume'], cwd);

  expect(resumed.code).toBe(1);
  expect(recordsIn(cwd)).toHaveLength(6);
});

test('with --keep-going a file of wrong lines alone has failed records, and exit code 1', async () => {
  const cwd = folderWith({ 'tasks.jsonl': 'x\ny\n' });

  const { code } = await troupe(['run', 'tasks.jsonl', '--keep-going'], cwd);

  expect(code).toBe(1);
  expect(recordsIn(cwd).map(({ line, status }) => [line, status])).toEqual([
    [1, 'failed'],
    [2, 'failed'],
  ]);
});
