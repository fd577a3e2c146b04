// T10: from passive to the first reply, with a hundred messages of history. Leaves out the model: it answers at once.
import assert from 'node:assert/strict';
import {
  type AgentDefinition,
  type AgentRef,
  createSupervisor,
  defineAgent,
  type Supervisor,
} from '#src/index.js';
import { compare } from '../harness.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly messages: number;
  readonly samples: number;
  readonly rounds: number;
  readonly warmups: number;
}> = {
  smoke: { messages: 4, samples: 3, rounds: 1, warmups: 0 },
  normal: { messages: 100, samples: 200, rounds: 3, warmups: 1 },
  full: { messages: 100, samples: 200, rounds: 9, warmups: 2 },
};

const timeoutMs = 30_000;
/** As many as are wanted: a run more does not make the history longer. */
const analystWith = (maxMessages: number) =>
  defineAgent({ name: 'analyst', memory: { maxMessages } });

/**
 * Two agents share one slot, so that each ask finds its agent passive and the other one idle: its thread has to be
 * given up before. Beside it a spawn on the same warm thread, up to the first reply, of an agent without history.
 */
export const activate: Scenario = {
  name: 'activate',
  targets: ['T10'],
  description: 'passive to first reply with 100 messages of history, p99',
  variants: ['troupe activation', 'troupe warm spawn'],
  async run(size: Size) {
    const { messages, samples, rounds, warmups } = sizes[size];
    const model = instantModel();
    await using supervisor = createSupervisor({ model, limits: { maxLiveAgents: 1 } });
    await using spawning = createSupervisor({ model, limits: { maxLiveAgents: 1 } });
    const analyst = analystWith(messages);
    const agents: AgentRef[] = [];
    for (const name of ['one', 'two']) agents.push(await supervisor.spawn(analyst, { name }));
    for (const agent of agents) {
      while (agent.history().length < messages) await reply(agent);
    }
    return [
      await compare({
        what: 'passive to first reply p99',
        unit: 'us',
        figure: 'p99',
        rounds,
        warmups,
        ours: { name: 'troupe activation', measure: () => activations(agents, samples) },
        baselines: [
          { name: 'troupe warm spawn', measure: () => warmSpawns(spawning, analyst, samples) },
        ],
        targets: [{ id: 'T10', against: ['troupe warm spawn'], max: 3 }],
      }),
    ];
  },
};

async function reply(agent: AgentRef): Promise<number> {
  const begun = performance.now();
  const { status, text } = await agent.ask('go on', { timeoutMs });
  const us = (performance.now() - begun) * 1_000;
  assert.deepEqual([status, text], ['completed', 'done']);
  return us;
}

async function activations(agents: readonly AgentRef[], count: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const agent = agents[turn % agents.length];
    assert.ok(agent);
    samples.push(await reply(agent));
  }
  return samples;
}

async function warmSpawns(
  supervisor: Supervisor,
  analyst: AgentDefinition,
  count: number,
): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const begun = performance.now();
    const agent = await supervisor.spawn(analyst);
    await reply(agent);
    samples.push((performance.now() - begun) * 1_000);
    await agent.stop();
  }
  return samples;
}
