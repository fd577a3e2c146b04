// Checks what is written together: records that are not waited for go with those that are.
import { expect, it } from 'vitest';
import type { JournalContents, JournalRecord } from '#src/journal/records.js';
import type { AfterWrite } from '#src/tasks/effect.js';
import type { TaskWrite } from '#src/tasks/journal/run-entry.js';
import { type Journal, TaskJournal } from '#src/tasks/journal/task-journal.js';
import { WrittenTask } from '#src/tasks/journal/written-task.js';
import type { SchedulerMessage } from '#src/tasks/messages.js';
import type { TaskRecord } from '#src/tasks/state.js';

const contents: JournalContents = {
  tasks: [],
  sessions: [],
  reserved: { tasks: 1_000_000, events: 100_000_000 },
};

const accepted = (taskId: string): TaskWrite => ({
  ...{ type: 'task_accepted', taskId, parentId: null, place: null, agent: null, session: null },
  ...{ isBackground: false, idempotencyKey: null, at: 1, spec: '{}' },
});
const ended = (taskId: string): TaskWrite => ({
  ...{ type: 'task_ended', taskId, at: 2, status: 'completed', outcome: '{}' },
});
/** What a caller of `accepted()` waits for. */
const acceptance = (written: WrittenTask): AfterWrite => {
  const task = { written } as unknown as TaskRecord;
  return { type: 'end_acceptance', task, why: null };
};
const completion = { type: 'complete' } as unknown as AfterWrite;

/** A journal that keeps what it is given, durable at once. */
async function rig() {
  const appends: (readonly string[])[] = [];
  const messages: SchedulerMessage[] = [];
  const journal = {
    contents,
    append: async (records: readonly JournalRecord[]) => {
      appends.push(records.map(({ type }) => type));
    },
    onChange: () => {},
    onPruned: () => {},
  } as unknown as Journal;
  const written = new TaskJournal({
    journal,
    registry: { lastNumber: 0 },
    events: { lastSeq: 0 },
    dispatch: (message) => messages.push(message),
  });
  // The first group is that of the start.
  await settled();
  appends.length = 0;
  return { written, appends, messages };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('writes a task whose acceptance is not asked for with its end (J1)', async () => {
  const { written, appends, messages } = await rig();
  const waiting = acceptance(new WrittenTask());

  written.write([accepted('t1')], [waiting]);
  written.write([ended('t1')], [completion]);
  await settled();

  expect(appends).toEqual([['task_accepted', 'task_ended']]);
  const due = messages.map((message) => (message.type === 'written' ? message.then : message.type));
  expect(due).toEqual([[waiting, completion]]);
});

it.each([
  ['before it is given', true],
  ['after', false],
])('writes it at once where its caller asks %s (J1)', async (_, isBefore) => {
  const { written, appends } = await rig();
  const task = new WrittenTask();
  if (isBefore) void task.accepted();

  written.write([accepted('t1')], [acceptance(task)]);
  if (!isBefore) void task.accepted();
  await settled();
  written.write([ended('t1')], [completion]);
  await settled();

  expect(appends).toEqual([['task_accepted'], ['task_ended']]);
});

it('does not write what a run has committed right before its end', async () => {
  const { written, appends } = await rig();
  const row = { entry: { type: 'spent' } } as const;

  written.write([{ type: 'run_committed', taskId: 't1', seq: 1, at: 1, row }], []);
  written.write([{ type: 'run_committed', taskId: 't2', seq: 1, at: 1, row }], []);
  written.write([ended('t1')], [completion]);
  await settled();

  expect(appends).toEqual([['run_committed', 'task_ended']]);
});
