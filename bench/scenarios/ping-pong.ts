// T1: the round trip from the host to an actor on a thread and back. Leaves out throughput and spawning.
import assert from 'node:assert/strict';
import { type ActorRef, createActorSystem } from '#src/actor.js';
import { bareRoundTrips, startBareThreads } from '../baselines/bare-threads.ts';
import { type Comparison, compare, type Target } from '../harness.ts';
import { type Placement, place } from '../placement.ts';
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
 * priority and back, sent from the handler of the last answer. Judged with both ends on one core and with one on each:
 * left alone, the kernel moves each of the two contestants between the two placements on its own.
 */
export const pingPong: Scenario = {
  name: 'ping-pong',
  targets: ['T1'],
  description: 'ask round trip from the host to a thread, p50',
  variants: ['troupe ask', 'raw postMessage'],
  async run(size: Size) {
    const placed = [
      await compareRoundTrips(size, 'round trip p50, one core', 'together'),
      await compareRoundTrips(size, 'round trip p50, two cores', 'apart'),
    ];
    const free = await compareRoundTrips(size, 'round trip p50, unplaced', null);
    return [...placed.filter((each) => each !== null), ...(free === null ? [] : [free])];
  },
};

/** Null where the placement is not to be had. */
async function compareRoundTrips(
  size: Size,
  what: string,
  placement: Placement | null,
): Promise<Comparison | null> {
  const { roundTrips, rounds } = sizes[size];
  await using bare = await startBareThreads('bare-echo', 1);
  await using system = createActorSystem({ threads: { min: 1, max: 1 } });
  const echo = await system.spawn<Ping>(new URL('../threads/echo-actor.js', import.meta.url));
  using placed = placement === null ? null : place(placement);
  if (placed?.isPlaced === false) return null;
  const targets: readonly Target[] =
    placed === null ? [] : [{ id: 'T1', against: ['raw postMessage'], max: 1.5 }];
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
