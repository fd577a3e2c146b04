// Checks the lines of a tree of tasks on a stream that was recorded of `troupe run --roles --progress json` (C42).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { JobBook } from '#src/cli/job-book.js';
import { plainLine } from '#src/cli/plain-lines.js';
import type { Outcome, TroupeEvent } from '#src/index.js';

const stream: readonly TroupeEvent[] = readFileSync(
  new URL('../fixtures/streams/orchestrator.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

const goal = 'Summarise this project';

/** A book that has handed over the stream's one root. */
async function openBook(): Promise<JobBook> {
  const book = new JobBook();
  const item = { task: { goal }, label: goal, input: null, line: null };
  for await (const _ of book.follow([item]));
  return book;
}

async function linesOf(showsTools: boolean): Promise<readonly string[]> {
  const book = await openBook();
  return stream.flatMap((event) => {
    book.record(event);
    const line = plainLine(event, { names: book.names, showsTools });
    return line === null ? [] : [line];
  });
}

test('names each task by its parent and its place, and tells its calls and its end (C42)', async () => {
  const lib = 'lib/ (5 files)';

  expect(await linesOf(true)).toEqual([
    `start  ${goal}`,
    `tool   ${goal}  delegate_task`,
    `start  ${goal} ▸ docs/guide.md (1 file) [1/2]`,
    `tool   ${goal} ▸ docs/guide.md (1 file) [1/2]  read`,
    expect.stringMatching(
      /^end {4}Summ.* ▸ docs.* \[1\/2\] {2}completed {2}2 turns {2}1 tool call {2}1\.\dk tokens {2}12 ms$/,
    ),
    `start  ${goal} ▸ ${lib} [2/2]`,
    `tool   ${goal} ▸ ${lib} [2/2]  delegate_task`,
    `start  ${lib} ▸ lib/core/ (3 files) [1/2]`,
    ...Array.from({ length: 3 }, () => `tool   ${lib} ▸ lib/core/ (3 files) [1/2]  read`),
    expect.stringMatching(/^end {4}lib\/ \(5 files\) ▸ lib\/core\/ \(3 files\) \[1\/2\] {2}compl/),
    `start  ${lib} ▸ lib/tools/ (2 files) [2/2]`,
    ...Array.from({ length: 2 }, () => `tool   ${lib} ▸ lib/tools/ (2 files) [2/2]  read`),
    `tool   ${lib} ▸ lib/tools/ (2 files) [2/2]  read failed: file_refused`,
    expect.stringMatching(/^end {4}lib\/ \(5 files\) ▸ lib\/tools\/ \(2 files\) \[2\/2\] {2}compl/),
    expect.stringMatching(/^end {4}Summarise this project ▸ lib\/ \(5 files\) \[2\/2\] {2}compl/),
    expect.stringMatching(/^end {4}Summarise this project {2}completed/),
  ]);
});

test('tells of tool calls only where that is asked for', async () => {
  const lines = await linesOf(false);

  expect(lines.filter((line) => line.startsWith('tool'))).toEqual([]);
  expect(lines).toHaveLength(10);
});

test('forgets the names of a tree with its root', async () => {
  const book = await openBook();
  for (const event of stream) book.record(event);
  const ended = stream.at(-1) as TroupeEvent<'task_completed'>;
  expect(book.names.labelOf('t5')).toBe('lib/ (5 files) ▸ lib/tools/ (2 files) [2/2]');
  expect(book.names.shortLabelOf('t5')).toBe('lib/tools/ (2 files) [2/2]');
  expect([book.names.parentOf('t5'), book.names.parentOf('t1')]).toEqual(['t3', null]);

  book.close({ ...ended.outcome, index: 0 } as Outcome);

  expect(['t1', 't2', 't5'].map((taskId) => book.names.labelOf(taskId))).toEqual([
    null,
    null,
    null,
  ]);
});
