// T11: many more agents than threads, asked at random. Leaves out the model: it answers at once.
import assert from 'node:assert/strict';
import { type AgentRef, createSupervisor, defineAgent } from '#src/index.js';
import { compare } from '../harness.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly agents: number;
  readonly threads: number;
  readonly asks: number;
  readonly rounds: number;
  readonly warmups: number;
}> = {
  smoke: { agents: 20, threads: 2, asks: 10, rounds: 1, warmups: 0 },
  normal: { agents: 5_000, threads: 32, asks: 1_000, rounds: 3, warmups: 1 },
  full: { agents: 100_000, threads: 32, asks: 1_000, rounds: 3, warmups: 1 },
};

const timeoutMs = 60_000;
/** Nobody has a history to speak of: what is measured is the way to the agent. */
const analyst = defineAgent({ name: 'analyst', memory: { maxMessages: 2 } });

/**
 * The agents begin passive, as whoever has so many of them would have them begin. One ask after another, each to an agent
 * of its own choice. Every one has to be answered: an error ends the scenario.
 */
export const scale: Scenario = {
  name: 'scale',
  targets: ['T11'],
  description: '100,000 passive agents on 32 threads, random asks, p99',
  variants: ['troupe passive agent', 'troupe live agent'],
  async run(size: Size) {
    const { agents: count, threads, asks, rounds, warmups } = sizes[size];
    const model = instantModel();
    const limits = { maxLiveAgents: threads };
    await using supervisor = createSupervisor({ model, limits });
    await using living = createSupervisor({ model, limits });
    const live = await living.spawn(analyst);
    const agents: AgentRef[] = [];
    for (let at = 0; at < count; at += 1) {
      agents.push(await supervisor.spawn(analyst, { name: `a${at}`, lazy: true }));
    }
    assert.equal(supervisor.totals().live, 0, 'none of them holds a thread');
    const random = seeded(11);
    const anyone = (): AgentRef => agents[Math.floor(random() * count)] ?? live;
    return [
      await compare({
        what: 'ask p99',
        unit: 'ms',
        figure: 'p99',
        rounds,
        warmups,
        ours: { name: 'troupe passive agent', measure: () => askMany(anyone, asks) },
        baselines: [{ name: 'troupe live agent', measure: () => askMany(() => live, asks) }],
        targets: [{ id: 'T11', against: [], max: 50 }],
      }),
    ];
  },
};

async function askMany(next: () => AgentRef, count: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const agent = next();
    const begun = performance.now();
    const { status } = await agent.ask('go on', { timeoutMs });
    samples.push(performance.now() - begun);
    assert.equal(status, 'completed');
  }
  return samples;
}

/** The same asks in every run: a linear congruence, good enough to scatter. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
