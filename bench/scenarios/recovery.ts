// T19: how long a supervisor takes to go on with what a journal has. Leaves out the writing of it.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createSupervisor, defineTool, type Model, type Supervisor, sqlite } from '#src/index.js';
import type { JournalRecord, KeptTask } from '#src/journal/records.js';
import { JournalStore } from '#src/journal/store.js';
import { type Comparison, compare } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Contents = {
  readonly unfinished: number;
  readonly ended: number;
  readonly resultChars: number;
};

const sizes: Sizes<{ readonly rounds: number; readonly many: Contents; readonly large: Contents }> =
  {
    smoke: {
      rounds: 1,
      many: { unfinished: 10, ended: 20, resultChars: 100 },
      large: { unfinished: 5, ended: 0, resultChars: 10_000 },
    },
    normal: {
      rounds: 3,
      many: { unfinished: 10_000, ended: 100_000, resultChars: 100 },
      large: { unfinished: 2_000, ended: 0, resultChars: 50_000 },
    },
    full: {
      rounds: 5,
      many: { unfinished: 10_000, ended: 100_000, resultChars: 100 },
      large: { unfinished: 20_000, ended: 0, resultChars: 50_000 },
    },
  };

/** Every unfinished task has one turn behind it, with the result of a tool, and waits for its second answer. */
export const recovery: Scenario = {
  name: 'recovery',
  targets: ['T19'],
  description: 'from the start on a journal to the first continued turn, and until all tasks go on',
  variants: ['journal', 'empty journal'],
  async run(size: Size) {
    const { rounds, many, large } = sizes[size];
    const folder = mkdtempSync(join(tmpdir(), 'troupe-recovery-'));
    try {
      const comparisons: Comparison[] = [];
      const empty = await journalOf(folder, 'empty', { unfinished: 1, ended: 0, resultChars: 1 });
      const full = await journalOf(folder, 'many', many);
      comparisons.push(
        await compare({
          what: `first turn of ${many.unfinished} tasks beside ${many.ended} ended ones`,
          unit: 'ms',
          figure: 'median',
          rounds,
          warmups: 1,
          ours: { name: 'journal', measure: () => startOn(full, folder) },
          baselines: [{ name: 'empty journal', measure: () => startOn(empty, folder) }],
          targets: [{ id: 'T19', against: [], max: 1_000 }],
        }),
      );
      rmSync(full);
      const big = await journalOf(folder, 'large', large);
      comparisons.push(
        await compare({
          what: `first turn of ${large.unfinished} tasks with ${large.resultChars / 1_000} KB each`,
          unit: 'ms',
          figure: 'median',
          rounds,
          warmups: 0,
          ours: { name: 'journal', measure: () => startOn(big, folder) },
          baselines: [],
          targets: [{ id: 'T19', against: [], max: 10_000 }],
        }),
        await compare({
          what: 'until all of them have gone on and ended',
          unit: 'ms',
          figure: 'median',
          rounds: 1,
          warmups: 0,
          ours: { name: 'journal', measure: () => recoverAll(big, folder, large.unfinished) },
          baselines: [],
          targets: [],
        }),
      );
      return comparisons;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

const tool = (resultChars: number) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    run: async () => 'x'.repeat(resultChars),
  });

/** Asks for the tool first; `second` is its other answer. */
const modelOf = (second: (signal: AbortSignal) => Promise<void>): Model => ({
  id: 'two-turns',
  respond: async ({ messages }, { signal }) => {
    const call = { type: 'tool_use', id: 'c1', name: 'look', input: {} } as const;
    if (messages.length === 1) return { content: [call] };
    await second(signal);
    return { content: [{ type: 'text', text: 'done' }] };
  },
});

const never = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

function supervise(path: string, model: Model, resultChars = 1): Supervisor {
  return createSupervisor({
    model,
    tools: [tool(resultChars)],
    journal: sqlite(path),
    logger: false,
    logDirectory: false,
  });
}

/** A journal as a killed service leaves it: one task of each kind was run, the others are like it. */
async function journalOf(
  folder: string,
  name: string,
  { unfinished, ended, resultChars }: Contents,
): Promise<string> {
  const path = join(folder, `${name}.db`);
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let isSecond = false;
  const model = modelOf(async (signal) => {
    if (!isSecond) return;
    asked();
    await never(signal);
  });
  const supervisor = supervise(path, model, resultChars);
  const done = await supervisor.delegate({ goal: 'ended' });
  isSecond = true;
  const open = supervisor.start({ goal: 'unfinished' });
  await isAsked;
  await supervisor.close();
  const store = await JournalStore.open(path);
  const kept = (taskId: string): KeptTask => {
    const task = store.load(taskId);
    assert(task !== null && !task.isDamaged);
    return task.value;
  };
  clone(store, kept(done.taskId), ended, 1_000_000);
  clone(store, kept(open.id), unfinished - 1, 2_000_000);
  store.commit([{ type: 'numbers_reserved', tasks: 3_000_000, events: 10_000_000 }]);
  store.close();
  return path;
}

function clone(
  store: JournalStore,
  { task, commits }: KeptTask,
  count: number,
  firstNumber: number,
): void {
  let records: JournalRecord[] = [];
  for (let at = 0; at < count; at += 1) {
    const taskId = `t${firstNumber + at}`;
    const { acceptedAt, status, outcome } = task;
    records.push({ ...task, type: 'task_accepted', taskId, at: acceptedAt });
    for (const commit of commits) records.push({ ...commit, type: 'run_committed', taskId });
    if (status !== null && outcome !== null) {
      records.push({ type: 'task_ended', taskId, at: acceptedAt, status, outcome });
    }
    if (records.length < 1_000) continue;
    store.commit(records);
    records = [];
  }
  store.commit(records);
}

/** Milliseconds until a model is asked to go on. */
async function startOn(journal: string, folder: string): Promise<readonly number[]> {
  const path = join(folder, 'started.db');
  copyFileSync(journal, path);
  const begun = performance.now();
  let askedAt: (at: number) => void = () => {};
  const asked = new Promise<number>((resolve) => {
    askedAt = resolve;
  });
  const supervisor = supervise(
    path,
    modelOf((signal) => {
      askedAt(performance.now());
      return never(signal);
    }),
  );
  const took = (await asked) - begun;
  await supervisor.close();
  rmSync(path);
  return [took];
}

/** Milliseconds until every task has gone on and ended. */
async function recoverAll(
  journal: string,
  folder: string,
  count: number,
): Promise<readonly number[]> {
  const path = join(folder, 'recovered.db');
  copyFileSync(journal, path);
  const begun = performance.now();
  const supervisor = supervise(
    path,
    modelOf(async () => {}),
  );
  let recovered = 0;
  for await (const { turns } of supervisor.recovered()) {
    assert.equal(turns, 1);
    recovered += 1;
  }
  const took = performance.now() - begun;
  assert.equal(recovered, count);
  await supervisor.close();
  rmSync(path);
  return [took];
}
