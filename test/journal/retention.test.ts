// Checks what a journal forgets, and when: by age, by size, and never what an unfinished task may ask for.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { createSupervisor, sqlite } from '#src/index.js';
import type { JournalRecord } from '#src/journal/records.js';
import { Forgetting } from '#src/journal/retention.js';
import { JournalStore } from '#src/journal/store.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { rejection, within } from '../supervisor/support.ts';
import { accepted } from './records.ts';

const never = Number.MAX_SAFE_INTEGER;
const file = (): string => join(temporaryFolder(), 'troupe.db');
const large = 'x'.repeat(4_000);

const ended = (taskId: string, at: number): JournalRecord => ({
  type: 'task_ended',
  taskId,
  at,
  status: 'completed',
  outcome: JSON.stringify(large),
});

/** Tasks `t0`, `t1`, … that ended one millisecond after the other. */
const manyEnded = (count: number, from = 0): readonly JournalRecord[] =>
  Array.from({ length: count }, (_, at) => [
    accepted(`t${from + at}`),
    ended(`t${from + at}`, from + at),
  ]).flat();

/** How many tasks each step has forgotten, until nothing was left to do. */
function steps(forgetting: Forgetting): readonly number[] {
  const pieces: number[] = [];
  for (let step = forgetting.step(); step.isMore; step = forgetting.step()) {
    pieces.push(step.taskIds.length);
  }
  return pieces;
}

it('forgets in pieces what is old enough, and looks again a minute later', async () => {
  const store = await JournalStore.open(file());
  store.commit(manyEnded(600));
  const clock = new ManualClock(500);
  const forgetting = new Forgetting(store, { outcomesMs: 100, maxBytes: never }, clock);

  expect(steps(forgetting)).toEqual([256, 144]);
  expect(store.task('t399')).toBeNull();
  expect(store.task('t400')).not.toBeNull();

  await clock.advance(59_999);
  expect(steps(forgetting)).toEqual([]);
  await clock.advance(1);
  expect(steps(forgetting)).toEqual([200]);
  store.close();
});

it('forgets what ended first while the file is larger than it may be, and nothing that is needed', async () => {
  const store = await JournalStore.open(file());
  store.commit(manyEnded(1_000));
  store.commit([accepted('lead'), accepted('below', { parentId: 'lead' }), ended('below', 0)]);
  const maxBytes = 2_000_000;
  const forgetting = new Forgetting(store, { outcomesMs: never, maxBytes }, new ManualClock());
  expect(store.space().usedBytes).toBeGreaterThan(maxBytes);

  expect(steps(forgetting)).toEqual([256, 256, 256]);

  expect(store.space().usedBytes).toBeLessThanOrEqual(maxBytes);
  expect([store.task('t767'), store.task('t768')?.isDamaged]).toEqual([null, false]);
  expect(store.task('below')).not.toBeNull();
  store.close();
});

it('gives room back to the system that is most of the file', async () => {
  const path = file();
  const store = await JournalStore.open(path);
  const spec = JSON.stringify('x'.repeat(40_000));
  store.commit(Array.from({ length: 800 }, (_, at) => accepted(`t${at}`, { spec })));
  store.commit(manyEnded(800));
  const settings = { outcomesMs: 0, maxBytes: never };
  const forgetting = new Forgetting(store, settings, new ManualClock(10_000));
  const before = store.stats().bytes;

  steps(forgetting);

  expect(before).toBeGreaterThan(32_000_000);
  const { freeBytes } = store.space();
  expect(freeBytes).toBeLessThanOrEqual(16_000_000);
  store.close();
  expect(statSync(path).size).toBeLessThan(17_000_000);
});

it('looks no more for a minute where all that is large is needed', async () => {
  const store = await JournalStore.open(file());
  const spec = JSON.stringify(large);
  store.commit(Array.from({ length: 500 }, (_, at) => accepted(`t${at}`, { spec })));
  const clock = new ManualClock();
  const settings = { outcomesMs: never, maxBytes: 1_000_000 };
  const forgetting = new Forgetting(store, settings, clock);
  expect(steps(forgetting)).toEqual([]);
  store.commit(Array.from({ length: 500 }, (_, at) => ended(`t${at}`, at)));

  expect(steps(forgetting)).toEqual([]);
  await clock.advance(60_000);
  expect(steps(forgetting)[0]).toBe(256);
  store.close();
});

it('keeps the file of a supervisor bounded while tasks end (J1)', { timeout: 60_000 }, async () => {
  const path = file();
  const maxBytes = 2_000_000;
  await using supervisor = createSupervisor({
    model: 'offline',
    journal: sqlite(path, { retention: { maxBytes } }),
    logger: false,
    logDirectory: false,
  });
  const context = 'x'.repeat(20_000);
  let first = '';
  let last = '';
  for (let at = 0; at < 60; at += 1) {
    const goals = Array.from({ length: 8 }, () => ({ goal: 'Say hello.', context }));
    const outcomes = await within(supervisor.delegate(goals), 'the outcomes');
    first ||= outcomes[0]?.taskId ?? '';
    last = outcomes.at(-1)?.taskId ?? '';
  }
  await within(supervisor.close(), 'the close');

  // Up to a piece of them, and what came while it was forgotten, is there as well.
  expect(statSync(path).size).toBeLessThan(10_000_000);
  await using next = createSupervisor({ model: 'offline', journal: sqlite(path), logger: false });
  expect(await rejection(next.handle(first))).toMatchObject({ code: 'unknown_task' });
  expect((await next.handle(last)).status()).toBe('completed');
});

it.each([
  [{ maxBytes: 999_999 }, 'maxBytes'],
  [{ maxBytes: 1.5e6 + 0.5 }, 'maxBytes'],
  [{ outcomesMs: -1 }, 'outcomesMs'],
])('refuses a retention of %j', (retention, field) => {
  const message = expect.stringContaining(`retention.${field} is `);
  const why = { code: 'invalid_options', message };
  expect(() => sqlite('troupe.db', { retention })).toThrow(expect.objectContaining(why));
});
