// T15: Savina's big: everyone talks to everyone, each with one ping on the way.
import assert from 'node:assert/strict';
import { comparePlays, everyPair, savinaVariants } from '../savina/workload.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly actors: number;
  /** Pings that each sends. */
  readonly pings: number;
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { actors: 3, pings: 20, rounds: 1 },
  normal: { actors: 16, pings: 500, rounds: 7 },
  full: { actors: 32, pings: 2_000, rounds: 11 },
};

/**
 * Each actor pings another at random, waits for the pong, and pings the next; round trips per second. Raw workers have a
 * channel for each pair, ours go by way of the host. The same choices in every run. Published, no target.
 */
export const big: Scenario = {
  name: 'big',
  targets: ['T15'],
  description: 'actors that ping each other at random, each on a thread: round trips per second',
  variants: savinaVariants,
  async run(size: Size) {
    const { actors, pings, rounds } = sizes[size];
    const specs = Array.from({ length: actors }, () => ({
      role: 'pinger' as const,
      actors,
      pings,
    }));
    const indices = [...specs.keys()];
    return [
      await comparePlays({
        what: `big, ${actors} actors, ${pings} pings each`,
        count: actors * pings,
        // From each other at most one ping is on its way, and beside it the pong to one's own.
        cast: { specs, pairs: everyPair(actors), backlog: actors + 2 },
        async play(crew) {
          const answered = await Promise.all(indices.map((index) => crew.run(index)));
          assert.deepEqual(
            answered,
            indices.map(() => pings),
            'pongs',
          );
        },
        rounds,
      }),
    ];
  },
};
