// T15: Savina's fork-join (throughput): one sender, many actors. Leaves out creating them, which `inline` measures.
import assert from 'node:assert/strict';
import { comparePlays, savinaVariants } from '../savina/workload.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly actors: number;
  /** Messages to each. */
  readonly messages: number;
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { actors: 3, messages: 20, rounds: 1 },
  normal: { actors: 60, messages: 500, rounds: 7 },
  full: { actors: 60, messages: 5_000, rounds: 11 },
};

/**
 * The host sends each of 60 actors its messages, to one after the other in turn, and asks each for its sum; messages per
 * second. Published, no target.
 */
export const forkJoin: Scenario = {
  name: 'fork-join',
  targets: ['T15'],
  description: 'one-way messages to 60 actors, each on a thread: messages per second',
  variants: savinaVariants,
  async run(size: Size) {
    const { actors, messages, rounds } = sizes[size];
    const specs = Array.from({ length: actors }, () => ({ role: 'counter' as const }));
    const indices = [...specs.keys()];
    return [
      await comparePlays({
        what: `fork-join, ${actors} actors, ${messages} messages each`,
        count: actors * messages,
        cast: { specs, pairs: [], backlog: messages + 1 },
        async play(crew) {
          for (let value = 1; value <= messages; value += 1) {
            for (const index of indices) crew.tell(index, { type: 'work', value });
          }
          const sums = await Promise.all(indices.map((index) => crew.run(index)));
          const expected = (messages * (messages + 1)) / 2;
          assert.deepEqual(
            sums,
            indices.map(() => expected),
            'sums',
          );
        },
        rounds,
      }),
    ];
  },
};
