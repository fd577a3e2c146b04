// T12: one-turn tasks per second with a journal, beside the same supervisor without one. Leaves out recovery.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor, type Supervisor, sqlite } from '#src/index.js';
import { rateOf } from '../baselines/agents.ts';
import { type Comparison, compare } from '../harness.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const atOnce = [
  { concurrency: 8, min: 0.5 },
  { concurrency: 64, min: 0.6 },
];

const sizes: Sizes<{
  readonly roundMs: number;
  readonly rounds: number;
  readonly warmups: number;
  readonly atOnce: readonly { readonly concurrency: number; readonly min: number }[];
}> = {
  smoke: { roundMs: 10, rounds: 1, warmups: 0, atOnce: [{ concurrency: 2, min: 0 }] },
  normal: {
    roundMs: 500,
    rounds: 7,
    warmups: 8,
    atOnce,
  },
  full: {
    roundMs: 1_000,
    rounds: 11,
    warmups: 8,
    atOnce,
  },
};

/** One-turn tasks on a model that answers at once, on warm threads, 8 and 64 at a time: each is written down twice, in one transaction where it ends soon. */
export const durable: Scenario = {
  name: 'durable',
  targets: ['T12'],
  description: 'one-turn tasks per second with a journal on the disk, 8 and 64 at a time',
  variants: ['journal', 'journal, process', 'memory'],
  async run(size: Size) {
    const comparisons: Comparison[] = [];
    for (const { concurrency, min } of sizes[size].atOnce) {
      comparisons.push(await compareAt(size, concurrency, min));
    }
    return comparisons;
  },
};

async function compareAt(size: Size, concurrency: number, min: number): Promise<Comparison> {
  const { roundMs, rounds, warmups } = sizes[size];
  const folder = mkdtempSync(join(tmpdir(), 'troupe-durable-'));
  try {
    const settings = {
      model: instantModel(),
      limits: { maxLiveAgents: concurrency },
      threads: { prewarm: Math.min(concurrency, 8), max: 8 },
      logDirectory: false,
    } as const;
    await using memory = createSupervisor(settings);
    await using machine = createSupervisor({
      ...settings,
      journal: sqlite(join(folder, 'machine.db')),
    });
    await using processed = createSupervisor({
      ...settings,
      journal: sqlite(join(folder, 'process.db'), { durability: 'process' }),
    });
    const measured = (supervisor: Supervisor) => async (): Promise<readonly number[]> => {
      const load = { concurrency, roundMs, withTool: false };
      const { perSecond } = await rateOf(load, async (goal) => {
        const outcome = await supervisor.delegate({ goal });
        assert.equal(outcome.status, 'completed', outcome.error?.message);
      });
      return [perSecond];
    };
    return await compare({
      what: `tasks, ${concurrency} at a time`,
      unit: 'per_s',
      figure: 'median',
      rounds,
      warmups,
      ours: { name: 'journal', measure: measured(machine) },
      baselines: [
        { name: 'journal, process', measure: measured(processed) },
        { name: 'memory', measure: measured(memory) },
      ],
      targets: [{ id: 'T12', against: ['memory'], min }],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
