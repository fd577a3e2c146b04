// T7: how long it takes to end agents that spin and hear nothing, beyond the graces they are given.
import assert from 'node:assert/strict';
import { agentsSpinning, levelsOf, plantTree } from '../agent-tree.ts';
import { startBareSpinners } from '../baselines/bare-threads.ts';
import { type Comparison, compare } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  /** Children of each agent of a tree, level by level; both trees have the same number of leaves. */
  readonly flat: readonly number[];
  readonly nested: readonly number[];
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { flat: [2], nested: [1, 2], rounds: 1 },
  normal: { flat: [32], nested: [2, 4, 4], rounds: 4 },
  full: { flat: [32], nested: [2, 4, 4], rounds: 20 },
};

const graces = { interruptGraceMs: 250, stopGraceMs: 250 };
const tools = new URL('../threads/spin-tool.js', import.meta.url);

/**
 * One tree: a root in a host tool that delegated to 32 leaves, which spin in a thread tool; then one of four levels,
 * 1 + 2 + 8 + 32, where the orchestrators between wait in the host tool. `interrupt` of the root climbs the ladder to the
 * kill. What counts is the time to the last receipt, which follows the last thread's exit, less both graces; the worst
 * round. With sixteen spinners a core a thread that is preempted comes round after 50 ms and more, and so does a host
 * that waits for a lock of Node's which that thread holds: the graces are long enough for it to be on time at the kill.
 * The baseline terminates 32 bare spinners of the same priority. A thread that loaded zod takes about twice as long to
 * be torn down, whoever ends it: neither side loads it.
 */
export const kill: Scenario = {
  name: 'kill',
  targets: ['T7'],
  description:
    'tree of 32 spinning agents, flat and nested: to the last thread exit beyond the graces, worst round',
  variants: ['troupe', 'bare spinners'],
  async run(size: Size) {
    const { flat, nested } = sizes[size];
    return [await compareOn(flat, size), await compareOn(nested, size)];
  },
};

async function compareOn(widths: readonly number[], size: Size): Promise<Comparison> {
  const levels = levelsOf(widths);
  const spinners = levels.at(-1) ?? 0;
  return await compare({
    what: `end ${spinners} spinning, ${levels.join(' + ')}`,
    unit: 'ms',
    figure: 'max',
    rounds: sizes[size].rounds,
    warmups: 1,
    ours: { name: 'troupe', measure: () => killTree(widths, spinners) },
    baselines: [{ name: 'bare spinners', measure: () => terminateBare(spinners) }],
    targets: [{ id: 'T7', against: ['bare spinners'], max: 1.5 }],
  });
}

async function killTree(widths: readonly number[], spinners: number): Promise<readonly number[]> {
  const spin = { toolCalls: [{ name: 'spin', input: {} }] };
  await using tree = plantTree({ widths, script: [spin], tools: [tools] }, graces);
  const { supervisor, threads, agents } = tree;
  // Started side by side with spinners, thirty threads take seconds.
  await tree.warm();
  const spinning = agentsSpinning(supervisor, spinners);
  const root = tree.grow();
  await spinning;

  const begun = performance.now();
  const receipts = await supervisor.interrupt(root.id);
  const ms = performance.now() - begun - graces.interruptGraceMs - graces.stopGraceMs;

  assert.equal(receipts.length, agents, 'receipts');
  const depthOfLeaves = widths.length;
  for (const { stage, path } of receipts) {
    const isLeaf =
      path.split('/').length - (receipts[0]?.path.split('/').length ?? 0) === depthOfLeaves;
    // Among so many spinners who only waits may not get a core within the graces.
    assert.match(stage, isLeaf ? /^killed$/ : /^(interrupted|killed)$/, path);
  }
  const killed = receipts.filter(({ stage }) => stage === 'killed').length;
  assert.ok(killed >= spinners, 'agents killed');
  // One that only waited may have ended by itself in the moment of its kill: its receipt waits for no thread.
  assert.ok(threads.lost >= spinners, 'threads lost by the last receipt');
  return [ms];
}

async function terminateBare(count: number): Promise<readonly number[]> {
  const { workers } = await startBareSpinners(count);
  const begun = performance.now();
  await Promise.all(workers.map((worker) => worker.terminate()));
  return [performance.now() - begun];
}
