// T3: from `spawn` on a warm thread to the first reply. Leaves out starting a thread, which is a baseline here.
import assert from 'node:assert/strict';
import { type ActorSystem, createActorSystem } from '#src/actor.js';
import { bareRoundTrips, startBareThread, startBareThreads } from '../baselines/bare-threads.ts';
import { compare } from '../harness.ts';
import { place } from '../placement.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';
import type { Ping } from '../threads/echo-actor.ts';

const sizes: Sizes<{
  readonly spawns: number;
  readonly workers: number;
  readonly rounds: number;
  /** Host and thread compile what they run in some thousand lives. */
  readonly warmups: number;
}> = {
  smoke: { spawns: 5, workers: 1, rounds: 1, warmups: 0 },
  normal: { spawns: 500, workers: 1, rounds: 9, warmups: 8 },
  full: { spawns: 1_000, workers: 5, rounds: 21, warmups: 8 },
};

/**
 * One actor after another on the same warm thread: `spawn`, one `ask`, then `stop`, which is not timed. p50.
 * Beside it a raw round trip on a bare worker, and a new `Worker` up to its first message; all on one core.
 */
export const spawn: Scenario = {
  name: 'spawn',
  targets: ['T3'],
  description: 'warm spawn to first reply, p50',
  variants: ['troupe spawn', 'raw round trip', 'new Worker'],
  async run(size: Size) {
    const { spawns, workers, rounds, warmups } = sizes[size];
    await using bare = await startBareThreads('bare-echo', 1);
    await using system = createActorSystem({ threads: { min: 1, max: 1 } });
    await warmSpawns(system, 1);
    // The two contestants in one placement; where that is not to be had, as the kernel has it.
    using _placed = place('together');
    return [
      await compare({
        what: 'spawn to first reply p50, one core',
        unit: 'us',
        figure: 'median',
        rounds,
        warmups,
        ours: { name: 'troupe spawn', measure: () => warmSpawns(system, spawns) },
        baselines: [
          { name: 'raw round trip', measure: () => bareRoundTrips(bare.first, spawns) },
          { name: 'new Worker', measure: () => newWorkers(workers) },
        ],
        targets: [{ id: 'T3', against: ['raw round trip'], max: 10 }],
      }),
    ];
  },
};

async function warmSpawns(system: ActorSystem, count: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const ping: Ping = { type: 'ping', round };
    const begun = performance.now();
    const echo = await system.spawn<Ping>(new URL('../threads/echo-actor.js', import.meta.url));
    const reply = await echo.ask(ping, { timeoutMs: 10_000 });
    samples.push((performance.now() - begun) * 1_000);
    assert.deepEqual(reply, ping);
    await echo.stop();
  }
  return samples;
}

async function newWorkers(count: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const begun = performance.now();
    const worker = await startBareThread('bare-echo');
    samples.push((performance.now() - begun) * 1_000);
    await worker.terminate();
  }
  return samples;
}
