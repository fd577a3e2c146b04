// T7: how long it takes to end agents that spin and hear nothing, beyond the graces they are given.
import assert from 'node:assert/strict';
import { plantTree, toolsStarted } from '../agent-tree.ts';
import { startBareSpinners } from '../baselines/bare-threads.ts';
import { compare } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{ readonly spinners: number; readonly rounds: number }> = {
  smoke: { spinners: 2, rounds: 1 },
  normal: { spinners: 32, rounds: 4 },
  full: { spinners: 32, rounds: 20 },
};

const graces = { interruptGraceMs: 50, stopGraceMs: 50 };
const tools = new URL('../threads/spin-tool.js', import.meta.url);

/**
 * One tree: a root in a host tool that delegated to 32 leaves, which spin in a thread tool. `interrupt` of the root
 * climbs the ladder to the kill. What counts is the time to the last receipt, which follows the last thread's exit,
 * less both graces of 50 ms; the worst round. The baseline terminates 32 bare spinners of the same priority. A thread
 * that loaded zod takes about twice as long to be torn down, whoever ends it: neither side loads it.
 */
export const kill: Scenario = {
  name: 'kill',
  targets: ['T7'],
  description: 'tree of 32 spinning agents: to the last thread exit beyond the graces, worst round',
  variants: ['troupe', 'bare spinners'],
  async run(size: Size) {
    const { spinners, rounds } = sizes[size];
    return [
      await compare({
        what: `end ${spinners} spinning`,
        unit: 'ms',
        figure: 'max',
        rounds,
        warmups: 1,
        ours: { name: 'troupe', measure: () => killTree(spinners) },
        baselines: [{ name: 'bare spinners', measure: () => terminateBare(spinners) }],
        targets: [{ id: 'T7', against: ['bare spinners'], atMost: 1.5 }],
      }),
    ];
  },
};

async function killTree(spinners: number): Promise<readonly number[]> {
  const spin = { toolCalls: [{ name: 'spin', input: {} }] };
  await using tree = plantTree({ count: spinners, script: [spin], tools: [tools] }, graces);
  const { supervisor, threads } = tree;
  // Started side by side with spinners, thirty threads take seconds.
  await tree.warm();
  const spinning = toolsStarted(supervisor, { name: 'spin', count: spinners });
  const root = tree.grow();
  await spinning;

  const begun = performance.now();
  const receipts = await supervisor.interrupt(root.id);
  const ms = performance.now() - begun - graces.interruptGraceMs - graces.stopGraceMs;

  const [ofRoot, ...ofLeaves] = receipts;
  // Among so many spinners the root may not get a core within its graces.
  assert.match(ofRoot?.stage ?? '', /^(interrupted|killed)$/, 'stage of the root');
  assert.equal(ofLeaves.length, spinners, 'receipts of leaves');
  for (const { stage, path } of ofLeaves) assert.equal(stage, 'killed', path);
  const killed = receipts.filter(({ stage }) => stage === 'killed').length;
  assert.equal(threads.lost, killed, 'threads lost by the last receipt');
  return [ms];
}

async function terminateBare(count: number): Promise<readonly number[]> {
  const { workers } = await startBareSpinners(count);
  const begun = performance.now();
  await Promise.all(workers.map((worker) => worker.terminate()));
  return [performance.now() - begun];
}
