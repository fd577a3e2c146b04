// Checks `troupe run` as a user has it: the built command, real threads, a folder of its own, the offline model.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, recordsIn, startTroupe, troupe } from '../support/command.ts';

const documents = {
  'b.md': '# Second\nIt says more.\n',
  'a.md': '# First\nIt says a little.\n',
  'sub/c.md': '# Third\n',
  'node_modules/x/d.md': '# Not ours\n',
  '.git/e.md': '# Nor this\n',
};
const readEach = ['run', '--each', '**/*.md', '--goal', 'Read {file}', '--toolsets', 'file'];

test('runs one agent per file and writes one outcome per line', async () => {
  const folder = folderWith(documents);

  const { code, stdout, stderr } = await troupe(readEach, folder);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^model offline: no model is called/);
  expect(stdout).toMatch(/^start {2}a\.md$/m);
  expect(stdout).toMatch(/^end {4}a\.md {2}completed {2}2 turns {2}1 tool call {2}/m);
  expect(stdout).toMatch(/^✓ sub\/c\.md +completed/m);
  expect(stdout).toMatch(/^3 tasks · 3 completed · .* tasks\/(s|min)$/m);
  expect(stdout).toMatch(/ out \(estimated\) · \$0\.00 · model offline$/m);
  const records = recordsIn(folder);
  expect(records.map(({ file }) => file).sort()).toEqual(['a.md', 'b.md', 'sub/c.md']);
  for (const record of records) {
    expect(record).toMatchObject({ status: 'completed', model: 'offline', isEstimated: true });
    expect(record['text']).toContain(String(record['file']));
  }
});

test('starts in the order of the paths, and takes no results of an earlier run for a task', async () => {
  const folder = folderWith({ 'b.md': '', 'a.md': '', 'c.md': '' });
  const args = ['run', '--each', '*', '--goal', 'Read', '--concurrency', '1', '--out', 'a0.md'];

  await troupe(args, folder);
  const { stdout, stderr } = await troupe([...args, '--overwrite'], folder);

  expect(stderr).toMatch(/^troupe: the agents have no tools .* --toolsets file/);
  expect(stdout.match(/^start.*$/gm)).toEqual(['start  a.md', 'start  b.md', 'start  c.md']);
  expect(recordsIn(folder, 'a0.md')).toHaveLength(3);
});

test('a goal alone is one task, and its answer is shown', async () => {
  const folder = folderWith();

  const { code, stdout } = await troupe(['run', '--goal', 'Say hello.'], folder);

  expect(code).toBe(0);
  expect(stdout).toMatch(/\n\n.*“Say hello\.”\n\n/);
  expect(recordsIn(folder)).toHaveLength(1);
});

test('--show answers prints each answer whole as it comes', async () => {
  const folder = folderWith(documents);

  const { code, stdout } = await troupe([...readEach, '--show', 'answers'], folder);

  expect(code).toBe(0);
  const summary = stdout.search(/^3 tasks/m);
  for (const { file, text } of recordsIn(folder)) {
    const at = stdout.indexOf(`✓ ${file}\n\n${text}\n`);
    expect(at, String(file)).toBeGreaterThan(-1);
    expect(at).toBeLessThan(summary);
  }
});

test('--show failures prints each failure with its reason, and no answer', async () => {
  const folder = folderWith({ 'a.md': '# First\n', 'tasks.jsonl': '{"goal":"Say hello."}\n' });

  const good = await troupe(['run', 'tasks.jsonl', '--show', 'failures'], folder);
  const bad = await troupe(
    [...readEach, '--max-turns', '1', '--show', 'failures', '--overwrite'],
    folder,
  );

  expect(good.stdout).not.toContain('✓ Say hello.\n');
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/^✗ a\.md\n {2}failed, max_turns/m);
});

test('--show of anything else is refused with what there is', async () => {
  const { code, stderr } = await troupe(['run', '--goal', 'g', '--show', 'all'], folderWith());

  expect(code).toBe(2);
  expect(stderr).toMatch(/'all' is invalid.*answers, failures/);
});

test('json puts events alone on stdout, each on a line, up to the last', async () => {
  const folder = folderWith();

  const { stdout, stderr } = await troupe(
    ['run', '--goal', 'Say hello.', '--progress', 'json'],
    folder,
  );

  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ type }) => type)).toContain('task_completed');
  expect(events[0]).toMatchObject({ seq: 1, type: 'task_queued' });
  expect(stderr).toMatch(/^1 task · 1 completed/m);
});

test('none shows the result and no progress', async () => {
  const { stdout } = await troupe(
    ['run', '--goal', 'Say hello.', '--progress', 'none'],
    folderWith(),
  );

  expect(stdout).not.toMatch(/^(start|end) /m);
  expect(stdout).toMatch(/^1 task · 1 completed/m);
});

test('a task that fails makes the exit code 1, and the others complete', async () => {
  const tasks =
    '{"goal":"One."}\n{"goal":"Read a.md and b.md.","toolsets":["file"],"maxTurns":1}\n';
  const folder = folderWith({ ...documents, 'tasks.jsonl': tasks });

  const { code, stdout } = await troupe(['run', 'tasks.jsonl'], folder);

  expect(code).toBe(1);
  expect(stdout).toMatch(/^✗ Read a\.md and b\.md\. +failed .*max_turns/m);
  expect(stdout).toMatch(/^2 tasks · 1 completed · 1 failed/m);
});

describe('misuse is one line on stderr, exit code 2, and nothing is started or overwritten', () => {
  test.each([
    [
      ['run', '--goal', 'x', '--model', 'anthropic:claude-x'],
      /ANTHROPIC_API_KEY is not set.*--model offline/,
    ],
    [['run', '--goal', 'x', '--model', 'gpt'], /no such model: "gpt"/],
    [['run', '--goal', 'x', '--toolsets', 'file,cobweb'], /no toolset "cobweb"/],
    [
      ['run', '--goal', 'x', '--out', 'none/out.jsonl'],
      /--out none\/out\.jsonl cannot be written: there is no/,
    ],
    [['run', '--goal', 'x', '--out', 'folder'], /--out folder cannot be written: it is a folder/],
    [['run', 'missing.jsonl'], /missing\.jsonl cannot be read: there is no such file/],
    [['run', 'folder'], /folder cannot be read: it is a folder/],
    [['run', '--goal', 'x', '--frob'], /unknown option '--frob'/],
  ])('%j', async (args, expected) => {
    const folder = folderWith({ 'tasks.jsonl': '{"goal":"x"}\n', 'results.jsonl': 'kept' });
    mkdirSync(join(folder, 'folder'));

    const { code, stdout, stderr } = await troupe(args, folder);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toHaveLength(3);
    expect(() => recordsIn(folder)).toThrow(/JSON/);
  });
});

test.each([
  [
    'a glob that matches nothing',
    ['--goal', 'x', '--each', '*.zzz'],
    /no file matches --each "\*\.zzz"/,
  ],
  ['a file without a task', ['empty.jsonl'], /nothing to run: empty\.jsonl holds no task/],
])('%s is one line and exit code 1', async (_what, args, expected) => {
  const { code, stderr } = await troupe(['run', ...args], folderWith({ 'empty.jsonl': '\n\n' }));

  expect(code).toBe(1);
  expect(stderr).toMatch(expected);
});

test('goes on when the reader of its output leaves', async () => {
  const folder = folderWith();
  for (let index = 0; index < 40; index += 1) writeFileSync(join(folder, `${index}.md`), 'text');
  const running = startTroupe([...readEach, '--progress', 'json'], { cwd: folder });

  await running.says('task_queued');
  running.child.stdout?.destroy();
  const { code } = await running.ended;

  expect(code).toBe(0);
  expect(recordsIn(folder)).toHaveLength(40);
});
