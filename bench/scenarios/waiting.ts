// T18: what agents cost that only wait, 10,000 at once, and the lag of the host meanwhile; and 1,000 that stream. Leaves out time.
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSupervisor, type Model, type ModelResponse } from '#src/index.js';
import { type Comparison, compare } from '../harness.ts';
import { heapNow } from '../heap.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly agents: number;
  readonly waitMs: number;
  readonly streaming: number;
  readonly streamMs: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { agents: 20, waitMs: 50, streaming: 4, streamMs: 100 },
  normal: { agents: 10_000, waitMs: 5_000, streaming: 1_000, streamMs: 5_000 },
  full: { agents: 10_000, waitMs: 5_000, streaming: 1_000, streamMs: 20_000 },
};

const deltasPerSecond = 20;
const maxThreads = 64;

type Seen = { readonly kib: number; readonly threads: number; readonly lagMs: number };

/** Agents of one turn at once, on a model that takes 5 s; and agents whose model streams 20 deltas a second. */
export const waiting: Scenario = {
  name: 'waiting',
  targets: ['T18'],
  description: '10,000 agents that wait at once; 1,000 that stream: memory, threads, host lag',
  variants: ['troupe'],
  async run(size: Size) {
    const { agents, waitMs, streaming, streamMs } = sizes[size];
    const silent = await observed(agents, waitMs, silentModel(waitMs));
    const streamed = await observed(streaming, streamMs, streamingModel(streamMs));
    const max = size === 'smoke' ? 1_000 : 20;
    return [
      await figure(`${agents} waiting, heap of each`, 'kib', silent.kib, max * 2),
      await figure(`${agents} waiting, threads`, 'count', silent.threads, maxThreads),
      await figure(`${agents} waiting, host lag p99`, 'ms', silent.lagMs, max),
      await figure(`${streaming} streaming, host lag p99`, 'ms', streamed.lagMs, max),
    ];
  },
};

function figure(
  what: string,
  unit: 'kib' | 'count' | 'ms',
  value: number,
  max: number,
): Promise<Comparison> {
  return compare({
    ...{ what, unit, figure: 'median', rounds: 1, warmups: 0, baselines: [] },
    ours: { name: 'troupe', measure: () => Promise.resolve([value]) },
    targets: [{ id: 'T18', against: [], max }],
  });
}

/** In the middle of the wait, when every agent has asked its model. */
async function observed(agents: number, waitMs: number, model: Model): Promise<Seen> {
  await using supervisor = createSupervisor({ model, limits: { maxLiveAgents: agents } });
  let threads = 0;
  supervisor.on('thread_spawned', (event) => {
    threads = Math.max(threads, event.threads);
  });
  await supervisor.delegate({ goal: 'the first opens a thread', metadata: {} });
  const before = await heapNow();
  const goals = Array.from({ length: agents }, (_, at) => ({ goal: `task ${at}` }));
  const all = supervisor.delegate(goals);
  await sleep(waitMs / 2);
  const kib = ((await heapNow()) - before) / 1_024 / agents;
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  await sleep(waitMs / 4);
  lag.disable();
  for (const { status, error } of await all) assert.equal(status, 'completed', error?.message);
  return { kib, threads, lagMs: lag.percentile(99) / 1e6 };
}

const answer: ModelResponse = {
  content: [{ type: 'text', text: 'done' }],
  stopReason: 'end_turn',
  usage: { inputTokens: 0, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  isEstimated: true,
  model: 'waits',
};

function silentModel(waitMs: number): Model {
  return {
    id: 'silent',
    async respond(_request, { signal }) {
      await sleep(waitMs, undefined, { signal });
      return answer;
    },
  };
}

function streamingModel(streamMs: number): Model {
  return {
    id: 'streaming',
    async respond(_request, { signal, onDelta }) {
      const pauseMs = 1_000 / deltasPerSecond;
      for (let taken = 0; taken < streamMs; taken += pauseMs) {
        await sleep(pauseMs, undefined, { signal });
        onDelta({ type: 'text', text: 'a few words of it ' });
      }
      return answer;
    },
  };
}
