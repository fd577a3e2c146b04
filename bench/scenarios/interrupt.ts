// T6: how fast an interrupt reaches every agent of a tree that waits for a model, and every receipt is back.
import assert from 'node:assert/strict';
import { type AgentTree, levelsOf, plantTree } from '../agent-tree.ts';
import { askBareThread, type BareThreads, startBareThreads } from '../baselines/bare-threads.ts';
import { type Comparison, compare } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  /** Children of each agent of a tree, level by level; both trees have the same number of agents. */
  readonly flat: readonly number[];
  readonly nested: readonly number[];
  readonly rounds: number;
  /**
   * A thread takes part in an interrupt once a round, and is done compiling its side of it after some hundred; the
   * handler of a bare worker, three lines, is so at once.
   */
  readonly warmups: number;
  /** Trees of many agents: their widths, and how often each is interrupted after once. */
  readonly wide: readonly (readonly number[])[];
  readonly wideRounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { flat: [5], nested: [1, 2, 1], rounds: 2, warmups: 1, wide: [[7]], wideRounds: 1 },
  normal: {
    flat: [63],
    nested: [3, 5, 3],
    rounds: 100,
    warmups: 100,
    wide: wideTrees(),
    wideRounds: 3,
  },
  full: {
    flat: [63],
    nested: [3, 5, 3],
    rounds: 200,
    warmups: 200,
    wide: wideTrees(),
    wideRounds: 9,
  },
};

/**
 * One tree of 64 agents: a root in a host tool that delegated to 63 leaves, which await a model that never answers;
 * then one of four levels, 1 + 3 + 15 + 45, where orchestrators wait in the host tool and the last level for the model.
 * One `interrupt` of the root, up to the last receipt; p99. Threads stay warm from round to round, which is checked.
 * Then trees of 1,000 and 10,000 agents that share 64 threads, by agent.
 * The baseline posts one message to each of 64 bare workers of the same priority and waits for the last answer.
 */
export const interrupt: Scenario = {
  name: 'interrupt',
  targets: ['T6'],
  description:
    'tree of 64 agents awaiting a model, flat and nested: interrupt() to the last receipt, p99',
  variants: ['troupe', 'bare answers'],
  async run(size: Size) {
    const { flat, nested, wide } = sizes[size];
    const comparisons = [await compareOn(flat, size), await compareOn(nested, size)];
    for (const widths of wide) comparisons.push(await eachOf(widths, size));
    return comparisons;
  },
};

/** What one agent of a tree of many takes, most of which have no thread. */
async function eachOf(widths: readonly number[], size: Size): Promise<Comparison> {
  await using tree = plantTree({ widths, script: [{ hang: true }] });
  const { agents } = tree;
  await tree.warm();
  return await compare({
    what: `interrupt ${agents} agents, ${levelsOf(widths).join(' + ')}, each`,
    unit: 'us',
    figure: 'median',
    rounds: sizes[size].wideRounds,
    warmups: 1,
    ours: {
      name: 'troupe',
      measure: async () => (await interruptTree(tree)).map((ms) => (ms * 1_000) / agents),
    },
    baselines: [],
    targets: [{ id: 'T6', against: [], max: 40 }],
  });
}

/** A thousand flat and nested, ten thousand nested: a run has at most 1,024 tasks below it. */
function wideTrees(): readonly (readonly number[])[] {
  return [[999], [9, 10, 10], [99, 100]];
}

async function compareOn(widths: readonly number[], size: Size): Promise<Comparison> {
  const { rounds, warmups } = sizes[size];
  await using tree = plantTree({ widths, script: [{ hang: true }] });
  const { agents } = tree;
  await tree.warm();
  await using bare = await startBareThreads('bare-echo', agents);
  return await compare({
    what: `interrupt ${agents} agents, ${levelsOf(widths).join(' + ')}`,
    unit: 'ms',
    figure: 'p99',
    rounds,
    warmups,
    ours: { name: 'troupe', measure: () => interruptTree(tree) },
    baselines: [{ name: 'bare answers', measure: () => answerAll(bare) }],
    targets: [{ id: 'T6', against: ['bare answers'], max: 2 }],
  });
}

async function interruptTree(tree: AgentTree): Promise<readonly number[]> {
  const { supervisor, model, threads, agents } = tree;
  const asked = model.requests().length + agents;
  const lostBefore = threads.lost;
  const root = tree.grow();
  // Every agent has asked once: those above for their tool call, the leaves for what never comes.
  while (model.requests().length < asked) await new Promise(setImmediate);

  const begun = performance.now();
  const receipts = await supervisor.interrupt(root.id);
  const ms = performance.now() - begun;

  assert.equal(receipts.length, agents, 'receipts');
  for (const { stage, path } of receipts) assert.equal(stage, 'interrupted', path);
  assert.equal(new Set(receipts.map(({ agentId }) => agentId)).size, agents, 'agents');
  const { status, exitReason } = await root.result();
  assert.deepEqual({ status, exitReason }, { status: 'interrupted', exitReason: 'interrupted' });
  await supervisor.drain();
  assert.equal(threads.lost - lostBefore, 0, 'threads lost');
  return [ms];
}

async function answerAll({ workers }: BareThreads): Promise<readonly number[]> {
  const begun = performance.now();
  const answers = await Promise.all(workers.map((worker, index) => askBareThread(worker, index)));
  const ms = performance.now() - begun;
  assert.deepEqual(answers, [...workers.keys()]);
  return [ms];
}
