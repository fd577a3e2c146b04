// T9: what a live agent and a passive one cost in memory. Leaves out the pool's first thread, which all of them share.
import assert from 'node:assert/strict';
import { type AgentRef, createSupervisor, defineAgent } from '#src/index.js';
import { startBareThreads } from '../baselines/bare-threads.ts';
import { compare } from '../harness.ts';
import { heapNow } from '../heap.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly live: number;
  readonly lazy: number;
  readonly messages: number;
  readonly rounds: number;
}> = {
  smoke: { live: 2, lazy: 10, messages: 4, rounds: 1 },
  normal: { live: 16, lazy: 1_000, messages: 20, rounds: 3 },
  full: { live: 16, lazy: 5_000, messages: 20, rounds: 5 },
};

const timeoutMs = 60_000;
/** More than the ended runs and the events that a supervisor keeps. */
const maxKept = 1_400;
const analyst = defineAgent({ name: 'analyst' });
/** A thread tool whose module imports zod, as most do. */
const toolModule = new URL('../threads/add-tool.js', import.meta.url);
const model = instantModel();

/** KiB of resident memory per live agent beside a bare worker; KiB of the heap per passive agent with its messages. */
export const memory: Scenario = {
  name: 'memory',
  targets: ['T9'],
  description: 'resident memory per live agent, heap per passive agent',
  variants: [
    'troupe live agent',
    'troupe live agent with a tool module',
    'bare worker',
    'troupe passive agent',
  ],
  async run(size: Size) {
    const { live, lazy, messages, rounds } = sizes[size];
    const common = { unit: 'kib', figure: 'median', rounds, warmups: 1 } as const;
    return [
      await compare({
        ...common,
        what: 'resident per live agent',
        ours: { name: 'troupe live agent', measure: () => liveAgents(live, []) },
        baselines: [{ name: 'bare worker', measure: () => bareWorkers(live) }],
        targets: [{ id: 'T9', against: ['bare worker'], max: 1.3 }],
      }),
      await compare({
        ...common,
        what: 'resident per live agent, a module with zod',
        ours: {
          name: 'troupe live agent with a tool module',
          measure: () => liveAgents(live, [toolModule]),
        },
        baselines: [{ name: 'bare worker', measure: () => bareWorkers(live) }],
        targets: [{ id: 'T9', against: ['bare worker'], max: 2.2 }],
      }),
      await compare({
        ...common,
        what: `heap per passive agent, ${messages} messages`,
        ours: {
          name: 'troupe passive agent',
          measure: () => passiveAgents(lazy, messages),
        },
        baselines: [],
        targets: [{ id: 'T9', against: [], max: 20 }],
      }),
    ];
  },
};

/** Idle agents give their threads to others that need one: as many are opened ahead as there are agents. */
async function liveAgents(count: number, tools: readonly URL[]): Promise<readonly number[]> {
  await using first = createSupervisor({ model, tools });
  await (await first.spawn(analyst, { name: 'first' })).ask('go on', { timeoutMs });
  const before = process.memoryUsage.rss();
  await using supervisor = createSupervisor({ model, tools, threads: { prewarm: count } });
  for (let at = 0; at < count; at += 1) {
    const agent = await supervisor.spawn(analyst, { name: `a${at}` });
    const { status } = await agent.ask('go on', { timeoutMs });
    assert.equal(status, 'completed');
  }
  assert.equal(supervisor.totals().live, count, 'every agent holds a thread');
  return [(process.memoryUsage.rss() - before) / 1_024 / count];
}

async function bareWorkers(count: number): Promise<readonly number[]> {
  await using _first = await startBareThreads('bare-echo', 1);
  const before = process.memoryUsage.rss();
  await using _others = await startBareThreads('bare-echo', count);
  return [(process.memoryUsage.rss() - before) / 1_024 / count];
}

async function passiveAgents(count: number, messages: number): Promise<readonly number[]> {
  await using supervisor = createSupervisor({ model, limits: { maxLiveAgents: 1 } });
  // What is kept of ended runs is bounded; it is full, and of such runs as are measured, before the measuring begins
  // (decision 13).
  for (let runs = 0; runs < maxKept; runs += messages / 2) {
    const talker = await supervisor.spawn(analyst, { name: 'talker' });
    while (talker.history().length < messages) await reply(talker);
    await talker.stop();
  }
  const before = await heapNow();
  const agents: AgentRef[] = [];
  for (let at = 0; at < count; at += 1) {
    const agent = await supervisor.spawn(analyst, { name: `a${at}` });
    while (agent.history().length < messages) await reply(agent);
    agents.push(agent);
  }
  const used = (await heapNow()) - before;
  assert.ok(supervisor.totals().live <= 1, 'all but the last are passive');
  return [used / 1_024 / agents.length];
}

async function reply(agent: AgentRef): Promise<void> {
  const { status } = await agent.ask('go on', { timeoutMs });
  assert.equal(status, 'completed');
}
