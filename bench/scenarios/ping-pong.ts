// T1: the round trip from the host to an actor on a thread and back. Leaves out throughput and spawning.
import assert from 'node:assert/strict';
import { type ActorRef, createActorSystem } from '#src/actor.js';
import { bareRoundTrips, startBareThreads } from '../baselines/bare-threads.ts';
import { type Comparison, compare, type Target } from '../harness.ts';
import { pinToOneCore } from '../one-core.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';
import type { Ping } from '../threads/echo-actor.ts';

const sizes: Sizes<{ readonly roundTrips: number; readonly rounds: number }> = {
  smoke: { roundTrips: 50, rounds: 1 },
  normal: { roundTrips: 400, rounds: 41 },
  full: { roundTrips: 1_000, rounds: 101 },
};

/**
 * One round trip at a time, a small object each way, p50.
 * Ours is `ask` of an actor on a warm thread; the baseline is `postMessage` to a bare worker of the same
 * priority and back, sent from the handler of the last answer. The process as users run it decides; the same
 * pinned to one core stands beside it, to tell the work of a round trip from where the kernel places its ends.
 */
export const pingPong: Scenario = {
  name: 'ping-pong',
  targets: ['T1'],
  description: 'ask round trip from the host to a thread, p50',
  variants: ['troupe ask', 'raw postMessage'],
  async run(size: Size) {
    const free = await compareRoundTrips(size, 'round trip p50', [
      { id: 'T1', against: ['raw postMessage'], atMost: 1.5 },
    ]);
    using core = pinToOneCore();
    if (!core.isPinned) return [free];
    return [free, await compareRoundTrips(size, 'round trip p50, on one core', [])];
  },
};

async function compareRoundTrips(
  size: Size,
  what: string,
  targets: readonly Target[],
): Promise<Comparison> {
  const { roundTrips, rounds } = sizes[size];
  await using bare = await startBareThreads('bare-echo', 1);
  await using system = createActorSystem({ threads: { min: 1, max: 1 } });
  const echo = await system.spawn<Ping>(new URL('../threads/echo-actor.js', import.meta.url));
  return await compare({
    what,
    unit: 'us',
    figure: 'median',
    rounds,
    warmups: 2,
    ours: { name: 'troupe ask', measure: () => askRoundTrips(echo, roundTrips) },
    baselines: [{ name: 'raw postMessage', measure: () => bareRoundTrips(bare.first, roundTrips) }],
    targets,
  });
}

async function askRoundTrips(echo: ActorRef<Ping>, count: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const ping: Ping = { type: 'ping', round };
    const sentAt = performance.now();
    const reply = await echo.ask(ping, { timeoutMs: 10_000 });
    samples.push((performance.now() - sentAt) * 1_000);
    assert.deepEqual(reply, ping);
  }
  return samples;
}
