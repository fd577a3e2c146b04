// Checks one line of a file of tasks: what becomes a task, and how the rest is refused.
import { expect, test } from 'vitest';
import { readTaskLine } from '#src/cli/task-line.js';
import { type Task, TroupeError } from '#src/index.js';

const toolsets = ['file'];
const cwd = '/work/here';
const place = { path: 'in/tasks.jsonl', number: 7 };

function check({ goal }: Task): void {
  if (goal === undefined) throw new TroupeError('invalid_task', 'task: goal is\nundefined');
}

test.each([
  ['{"goal":"Look"}', { task: { goal: 'Look', toolsets }, label: 'Look' }],
  ['{"goal":"a\\nb"}', { task: { goal: 'a\nb', toolsets }, label: 'a b' }],
  [`{"goal":"${'a'.repeat(300)}"}`, { label: `${'a'.repeat(199)}…` }],
  ['{"goal":"Look","toolsets":[]}', { task: { goal: 'Look', toolsets: [] }, label: 'Look' }],
  ['{"goal":"Look","name":"eye"}', { label: 'eye' }],
  ['{"goal":"Look","metadata":{"file":"a.md"}}', { label: 'a.md', file: 'a.md' }],
  ['{"goal":"Look","metadata":{"file":7}}', { label: 'Look' }],
  ['{"goal":"Look","metadata":{"file":"/work/here/a.md"}}', { file: '/work/here/a.md' }],
  ['{"goal":"Look","toolsets":[],"metadata":{"file":"../a.md"}}', { file: '../a.md' }],
  ['{"goal":"Look","workspace":"/work","metadata":{"file":"there/a.md"}}', { file: 'there/a.md' }],
])('%s is a task', (line, item) => {
  expect(readTaskLine(line, place, { cwd, toolsets, check })).toMatchObject({
    type: 'item',
    item: { ...item, input: 'in/tasks.jsonl', line: 7 },
  });
});

test.each([
  ['{"goal":', 'not JSON'],
  ['null', 'not a task'],
  ['[{"goal":"x"}]', 'not a task'],
  ['"goal"', 'not a task'],
  ['{}', 'task: goal is undefined'],
  ['{"goal":"x","metadata":{"file":"../a.md"}}', 'metadata.file is outside of /work/here'],
])('%s is refused in one line', (line, expected) => {
  const read = readTaskLine(line, place, { cwd, toolsets, check });

  expect(read).toMatchObject({
    type: 'bad',
    message: expect.stringContaining(`in/tasks.jsonl:7: ${expected}`),
  });
});

test.each(['', ' \t'])('%j is blank', (line) => {
  expect(readTaskLine(line, place, { cwd, toolsets, check })).toEqual({ type: 'blank' });
});

test('passes on what is no word about the task', () => {
  const failing = (): never => {
    throw new RangeError('a defect');
  };

  expect(() => readTaskLine('{"goal":"x"}', place, { cwd, toolsets, check: failing })).toThrow(
    RangeError,
  );
});
