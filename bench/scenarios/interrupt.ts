// T6: how fast an interrupt reaches every agent of a tree that waits for a model, and every receipt is back.
import assert from 'node:assert/strict';
import { type AgentTree, plantTree } from '../agent-tree.ts';
import { askBareThread, type BareThreads, startBareThreads } from '../baselines/bare-threads.ts';
import { compare } from '../harness.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly agents: number;
  readonly rounds: number;
  readonly warmups: number;
}> = {
  smoke: { agents: 4, rounds: 2, warmups: 1 },
  normal: { agents: 64, rounds: 40, warmups: 10 },
  full: { agents: 64, rounds: 200, warmups: 20 },
};

/**
 * One tree of 64 agents: a root in a host tool that delegated to 63 leaves, which await a model that never answers.
 * One `interrupt` of the root, up to the last receipt; p99. Threads stay warm from round to round, which is checked.
 * The baseline posts one message to each of 64 bare workers of the same priority and waits for the last answer.
 */
export const interrupt: Scenario = {
  name: 'interrupt',
  targets: ['T6'],
  description: 'tree of 64 agents awaiting a model: interrupt() to the last receipt, p99',
  variants: ['troupe', 'bare answers'],
  async run(size: Size) {
    const { agents, rounds, warmups } = sizes[size];
    await using bare = await startBareThreads('bare-echo', agents);
    await using tree = plantTree({ count: agents - 1, script: [{ hang: true }] });
    return [
      await compare({
        what: `interrupt ${agents} agents`,
        unit: 'ms',
        figure: 'p99',
        rounds,
        warmups,
        ours: { name: 'troupe', measure: () => interruptTree(tree, agents) },
        baselines: [{ name: 'bare answers', measure: () => answerAll(bare) }],
        targets: [{ id: 'T6', against: ['bare answers'], atMost: 5 }],
      }),
    ];
  },
};

async function interruptTree(tree: AgentTree, agents: number): Promise<readonly number[]> {
  const { supervisor, model, threads } = tree;
  const asked = model.requests().length + agents;
  const lostBefore = threads.lost;
  const root = tree.grow();
  // Every agent has asked once: the root for its tool call, the leaves for what never comes.
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
