// What a process of its own costs an agent, beside a thread. Leaves out memory.
import assert from 'node:assert/strict';
import { createSupervisor, type Supervisor } from '#src/index.js';
import { type Comparison, compare } from '../harness.ts';
import { instantModel } from '../instant-model.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';
import { delegateRun, longTurns, shortTurns, slopes } from '../turn-slope.ts';

const sizes: Sizes<{
  readonly runs: number;
  readonly tasks: number;
  readonly rounds: number;
  readonly warmups: number;
}> = {
  smoke: { runs: 1, tasks: 4, rounds: 1, warmups: 0 },
  normal: { runs: 30, tasks: 400, rounds: 7, warmups: 2 },
  full: { runs: 100, tasks: 2_000, rounds: 11, warmups: 2 },
};

const tools = [new URL('../threads/add-tool.js', import.meta.url)];
const lanes = 8;

type Isolation = 'process' | 'thread';

/** A supervisor of each isolation, warm; their samples are taken in turn. */
export const processes: Scenario = {
  name: 'process',
  targets: [],
  description: 'a turn, tasks 8 at a time, and a start, in processes beside threads',
  variants: ['processes', 'threads'],
  async run(size: Size) {
    const { runs, tasks, rounds, warmups } = sizes[size];
    await using inProcesses = supervise('process');
    await using inThreads = supervise('thread');
    const beside = (
      what: string,
      unit: 'us' | 'ms' | 'per_s',
      measure: (supervisor: Supervisor, isolation: Isolation) => Promise<readonly number[]>,
    ): Promise<Comparison> =>
      compare({
        ...{ what, unit, rounds, warmups, figure: 'median' as const, targets: [] },
        ours: { name: 'processes', measure: () => measure(inProcesses, 'process') },
        baselines: [{ name: 'threads', measure: () => measure(inThreads, 'thread') }],
      });
    return [
      await beside('one turn with one tool call', 'us', (supervisor) =>
        slopes(runs, (turns) => delegateRun(supervisor, turns)),
      ),
      await beside(
        `tasks of two turns with a tool call, ${lanes} at a time`,
        'per_s',
        (supervisor) => fanOut(supervisor, tasks),
      ),
      await beside('start of a supervisor to the end of its first task', 'ms', (_, isolation) =>
        start(isolation),
      ),
    ];
  },
};

function supervise(isolation: Isolation): Supervisor {
  return createSupervisor({
    model: instantModel({ toolTurns: { short: shortTurns - 1, long: longTurns - 1 } }),
    agents: [{ name: 'short' }, { name: 'long' }],
    tools,
    logDirectory: false,
    threads: { profile: { isolation }, max: 2 },
  });
}

/** Tasks a second. */
async function fanOut(supervisor: Supervisor, tasks: number): Promise<readonly number[]> {
  const begun = performance.now();
  const all = Array.from({ length: tasks }, () => ({ goal: 'count', agent: 'short' }));
  let ended = 0;
  for await (const { status } of supervisor.map(all, { concurrency: lanes })) {
    assert.equal(status, 'completed');
    ended += 1;
  }
  return [(ended / (performance.now() - begun)) * 1_000];
}

async function start(isolation: Isolation): Promise<readonly number[]> {
  const begun = performance.now();
  await using supervisor = supervise(isolation);
  await delegateRun(supervisor, shortTurns);
  return [performance.now() - begun];
}
