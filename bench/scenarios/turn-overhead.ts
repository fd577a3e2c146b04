// T14: what the runtime itself costs in one turn. Leaves out models, which answer at once here.
import assert from 'node:assert/strict';
import { createSupervisor } from '#src/index.js';
import { bareRoundTrips, startBareThreads } from '../baselines/bare-threads.ts';
import { type Comparison, compare, type Target } from '../harness.ts';
import { instantModel } from '../instant-model.ts';
import { type Placement, place } from '../placement.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';
import runBareLoop from '../threads/bare-loop.ts';
import { delegateRun, longTurns, shortTurns, slopes } from '../turn-slope.ts';

const sizes: Sizes<{ readonly runs: number; readonly rounds: number; readonly warmups: number }> = {
  smoke: { runs: 2, rounds: 1, warmups: 0 },
  normal: { runs: 50, rounds: 9, warmups: 4 },
  full: { runs: 200, rounds: 11, warmups: 4 },
};

const tools = new URL('../threads/add-tool.js', import.meta.url);

/**
 * Runs of 2 and of 12 turns in turn, one agent at a time on the same warm slot; every turn but the last calls one
 * trivial thread tool. A sample is the difference of the two over 10 turns, so that start and end of a run drop out.
 * The target is on the figure itself, with both threads on one core and with one on each. Beside it what no runtime on
 * threads can save, a raw round trip in the same placement, and the same slope of the bare loop, in-process.
 */
export const turnOverhead: Scenario = {
  name: 'turn-overhead',
  targets: ['T14'],
  description: 'runtime cost of one turn with one thread tool call, as a slope over turns',
  variants: ['troupe', 'raw round trip', 'bare loop'],
  async run(size: Size) {
    const placed = [
      await compareTurns(size, 'one turn with one tool call, one core', 'together'),
      await compareTurns(size, 'one turn with one tool call, two cores', 'apart'),
    ].filter((each) => each !== null);
    if (placed.length > 0) return placed;
    const free = await compareTurns(size, 'one turn with one tool call', null);
    return free === null ? [] : [free];
  },
};

/** Null where the placement is not to be had. */
async function compareTurns(
  size: Size,
  what: string,
  placement: Placement | null,
): Promise<Comparison | null> {
  const { runs, rounds, warmups } = sizes[size];
  await using bare = await startBareThreads('bare-echo', 1);
  await using supervisor = createSupervisor({
    model: instantModel({ toolTurns: { short: shortTurns - 1, long: longTurns - 1 } }),
    agents: [{ name: 'short' }, { name: 'long' }],
    tools: [tools],
    limits: { maxLiveAgents: 1 },
    threads: { prewarm: 1 },
  });
  // Its thread is there before the threads are placed.
  await delegateRun(supervisor, shortTurns);
  using placed = placement === null ? null : place(placement);
  if (placed?.isPlaced === false) return null;
  const targets: readonly Target[] = [{ id: 'T14', against: [], max: 200 }];
  return await compare({
    what,
    unit: 'us',
    figure: 'median',
    rounds,
    warmups,
    ours: {
      name: 'troupe',
      measure: () => slopes(runs, (turns) => delegateRun(supervisor, turns)),
    },
    baselines: [
      { name: 'raw round trip', measure: () => bareRoundTrips(bare.first, runs * 10) },
      { name: 'bare loop', measure: () => slopes(runs, runBare) },
    ],
    targets,
  });
}

async function runBare(turns: number): Promise<void> {
  const { text, toolCalls } = await runBareLoop({ goal: 'count', toolTurns: turns - 1 });
  assert.equal(text, 'done');
  assert.equal(toolCalls, turns - 1, 'tool calls');
}
