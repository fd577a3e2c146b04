// T5: how close a fan-out over a slow model comes to the time the model alone takes. Leaves out throughput.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSupervisor, type Supervisor } from '#src/index.js';
import { compare } from '../harness.ts';
import { instantModel, slowed } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly tasks: number;
  readonly liveAgents: number;
  readonly turnMs: number;
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { tasks: 6, liveAgents: 4, turnMs: 10, rounds: 1 },
  normal: { tasks: 400, liveAgents: 64, turnMs: 250, rounds: 3 },
  full: { tasks: 400, liveAgents: 64, turnMs: 250, rounds: 11 },
};

const turns = 2;
const tools = new URL('../threads/add-tool.js', import.meta.url);

/**
 * 400 tasks of two turns in one call, 64 agents at a time on warm threads, on a model that takes 250 ms a turn: the
 * first turn calls a thread tool, the second answers. Wall time, beside what the model alone takes,
 * ceil(400 / 64) x 2 x 250 ms, and beside the same waits by 64 async functions in the host, which shows how late its
 * timers are.
 */
export const fanOutLatency: Scenario = {
  name: 'fan-out-latency',
  targets: ['T5'],
  description:
    '400 tasks of 2 turns, 250 ms a turn, 64 live agents: wall over that of the model alone',
  variants: ['troupe', 'model alone', 'async functions'],
  async run(size: Size) {
    const parameters = sizes[size];
    const { tasks, liveAgents, turnMs, rounds } = parameters;
    await using supervisor = createSupervisor({
      model: slowed(instantModel({ toolTurns: 1 }), turnMs),
      tools: [tools],
      limits: { maxLiveAgents: liveAgents },
      threads: { prewarm: liveAgents },
    });
    return [
      await compare({
        what: `${tasks} tasks of ${turns} x ${turnMs} ms, ${liveAgents} live`,
        unit: 'ms',
        figure: 'median',
        rounds,
        // The first opens the threads, loads the tool's module and compiles.
        warmups: 1,
        ours: { name: 'troupe', measure: () => delegated(supervisor, parameters) },
        baselines: [
          {
            name: 'model alone',
            measure: () => Promise.resolve([Math.ceil(tasks / liveAgents) * turns * turnMs]),
          },
          { name: 'async functions', measure: () => waited(parameters) },
        ],
        targets: [{ id: 'T5', against: ['model alone'], max: 1.1 }],
      }),
    ];
  },
};

async function delegated(
  supervisor: Supervisor,
  { tasks }: Parameters,
): Promise<readonly number[]> {
  const goals = Array.from({ length: tasks }, (_, index) => ({ goal: `task ${index}` }));
  const begun = performance.now();
  const outcomes = await supervisor.delegate(goals);
  const ms = performance.now() - begun;
  assert.equal(outcomes.length, tasks, 'outcomes');
  for (const { status, text, turns: taken, toolCalls, error } of outcomes) {
    assert.equal(status, 'completed', error?.message);
    assert.deepEqual({ text, taken, toolCalls }, { text: 'done', taken: turns, toolCalls: 1 });
  }
  return [ms];
}

async function waited({ tasks, liveAgents, turnMs }: Parameters): Promise<readonly number[]> {
  let begunTasks = 0;
  let answers = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: liveAgents }, async () => {
      while (begunTasks < tasks) {
        begunTasks += 1;
        for (let turn = 0; turn < turns; turn += 1) {
          await sleep(turnMs);
          answers += 1;
        }
      }
    }),
  );
  const ms = performance.now() - begun;
  assert.equal(answers, tasks * turns, 'answers');
  return [ms];
}
