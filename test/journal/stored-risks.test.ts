// Checks which recovered tasks a journal suspects of having ended the process, and how often it counts that against one (J7).
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JournalRecord } from '#src/journal/records.js';
import { JournalStore } from '#src/journal/store.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { accepted } from './records.ts';

const tried = (taskId: string, isAlone: boolean): JournalRecord => ({
  type: 'recovery_tried',
  taskId,
  isAlone,
});
const settled = (taskId: string): JournalRecord => ({ type: 'recovery_settled', taskId });

it.each<
  [string, readonly JournalRecord[], boolean, Readonly<Record<string, readonly [boolean, number]>>]
>([
  [
    'was tried beside another one',
    [tried('t1', false), tried('t2', false)],
    false,
    { t1: [true, 0], t2: [true, 0] },
  ],
  ['was tried alone', [tried('t1', true)], false, { t1: [true, 1], t2: [false, 0] }],
  [
    'was tried alone, beside one that is new',
    [tried('t1', true), tried('t2', false)],
    false,
    { t1: [true, 1], t2: [true, 0] },
  ],
  [
    'was not the only one that was tried alone',
    [tried('t1', true), tried('t2', true)],
    false,
    { t1: [true, 0], t2: [true, 0] },
  ],
  ['has gone on', [tried('t1', true), settled('t1')], false, { t1: [false, 0], t2: [false, 0] }],
  [
    'was tried, in a process that closed',
    [tried('t1', false)],
    true,
    { t1: [false, 0], t2: [false, 0] },
  ],
  [
    'was tried alone, in a process that closed',
    [tried('t1', true)],
    true,
    { t1: [true, 0], t2: [false, 0] },
  ],
])('what follows for a task that %s (J7)', async (_case, records, isClosed, expected) => {
  const store = await JournalStore.open(join(temporaryFolder(), 'troupe.db'));
  store.commit([accepted('t1'), accepted('t2'), ...records]);
  if (isClosed) store.risks.endLife();
  store.risks.beginLife();
  const found = store.contents().tasks;
  store.close();

  const risks = found.map(({ taskId, isSuspect, deaths }) => [taskId, [isSuspect, deaths]]);
  expect(Object.fromEntries(risks)).toEqual(expected);
});

it('what was counted against a task ends when it goes on, and not when it was only a suspect (J7)', async () => {
  const store = await JournalStore.open(join(temporaryFolder(), 'troupe.db'));
  const deaths = () => store.contents().tasks.map((task) => task.deaths);
  store.commit([accepted('t1'), tried('t1', true)]);
  for (const _life of [1, 2]) {
    store.risks.beginLife();
    store.commit([tried('t1', true)]);
  }
  const counted = deaths();
  store.risks.endLife();
  store.risks.beginLife();
  const kept = deaths();
  store.commit([settled('t1')]);
  const gone = deaths();
  store.close();

  expect([counted, kept, gone]).toEqual([[2], [2], [0]]);
});
