// T4: delegated tasks per second on an instant model, beside agent frameworks and a bare pool task. Leaves out latency.
import assert from 'node:assert/strict';
import { createSupervisor, type Supervisor } from '#src/index.js';
import { agentPeers, type Load, piscinaTask, rateOf } from '../baselines/agents.ts';
import { type Comparison, compare } from '../harness.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{
  readonly concurrency: number;
  readonly roundMs: number;
  readonly rounds: number;
  /** Eight threads have to compile what they run, each for itself; everyone else gets the same time. */
  readonly warmups: number;
}> = {
  smoke: { concurrency: 2, roundMs: 10, rounds: 1, warmups: 0 },
  normal: { concurrency: 8, roundMs: 500, rounds: 7, warmups: 12 },
  full: { concurrency: 8, roundMs: 1_000, rounds: 11, warmups: 8 },
};

const frameworks = ['ai', 'openai-agents', 'langgraph', 'deepagents'];
const tools = new URL('../threads/add-tool.js', import.meta.url);

/**
 * Tasks of one turn, eight at a time, on a model that answers at once; the second comparison adds a turn with one tool
 * call, which ours runs in the agent's thread. Ours has eight warm slots, each task alone on one; beside it ours with a
 * fresh thread for each task, started ahead. The frameworks run the same agent in-process, piscina runs the bare loop on two threads.
 */
export const fanOut: Scenario = {
  name: 'fan-out',
  targets: ['T4'],
  description:
    'delegated tasks per second, instant model, 8 at a time, with and without one tool call',
  variants: ['troupe', 'troupe single-use', ...frameworks, 'piscina task'],
  async run(size: Size) {
    const { roundMs, concurrency } = sizes[size];
    return [
      await compareAt({ roundMs, concurrency, withTool: false }, size),
      await compareAt({ roundMs, concurrency, withTool: true }, size),
    ];
  },
};

async function compareAt(load: Load, size: Size): Promise<Comparison> {
  const { rounds, warmups } = sizes[size];
  await using warm = supervisorFor(load, 'warm');
  await using piscina = piscinaTask(load);
  const { contestants, leftOut } = await agentPeers(load, size);
  return await compare({
    what: load.withTool ? 'tasks with one tool call' : 'tasks',
    unit: 'per_s',
    figure: 'median',
    rounds,
    warmups,
    ours: { name: 'troupe', measure: () => delegated(warm, load) },
    baselines: [
      ...contestants,
      piscina,
      { name: 'troupe single-use', measure: () => delegatedToFreshThreads(load) },
    ],
    leftOut,
    targets: [
      { id: 'T4', against: frameworks, min: 3 },
      { id: 'T4', against: ['piscina task'], min: 0.5 },
    ],
  });
}

function supervisorFor({ concurrency, withTool }: Load, reuse: 'warm' | 'single-use'): Supervisor {
  return createSupervisor({
    model: instantModel({ toolTurns: withTool ? 1 : 0 }),
    tools: withTool ? [tools] : [],
    limits: { maxLiveAgents: concurrency },
    threads: { prewarm: concurrency, reuse },
  });
}

async function delegated(supervisor: Supervisor, load: Load): Promise<readonly number[]> {
  const { perSecond } = await rateOf(load, async (goal) => {
    const outcome = await supervisor.delegate({ goal });
    assert.equal(outcome.status, 'completed', outcome.error?.message);
    assert.equal(outcome.text, 'done');
    assert.equal(outcome.toolCalls, load.withTool ? 1 : 0, 'tool calls');
  });
  return [perSecond];
}

/** A supervisor of its own each time: one that lived on would start threads ahead while others are measured. */
async function delegatedToFreshThreads(load: Load): Promise<readonly number[]> {
  await using supervisor = supervisorFor(load, 'single-use');
  await supervisor.delegate({ goal: 'describe the tools' });
  return await delegated(supervisor, load);
}
