// T15: Savina's thread-ring: one token around a ring of actors, so that nothing runs side by side.
import assert from 'node:assert/strict';
import { comparePlays, savinaVariants } from '../savina/workload.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

const sizes: Sizes<{ readonly size: number; readonly hops: number; readonly rounds: number }> = {
  smoke: { size: 3, hops: 30, rounds: 1 },
  normal: { size: 16, hops: 8_000, rounds: 7 },
  full: { size: 100, hops: 20_000, rounds: 11 },
};

/**
 * A token is handed from actor to actor until its hops are used up; hops per second. A hop between two of our threads
 * goes by way of the host, which keeps the mailboxes; raw workers post to the next one directly. Published, no target.
 */
export const threadRing: Scenario = {
  name: 'thread-ring',
  targets: ['T15'],
  description: 'a token around a ring of actors, each on a thread: hops per second',
  variants: savinaVariants,
  async run(size: Size) {
    const { size: members, hops, rounds } = sizes[size];
    const specs = Array.from({ length: members }, () => ({
      role: 'ring_member' as const,
      size: members,
      hops,
    }));
    const pairs = specs.map((_, index) => [index, (index + 1) % members] as const);
    return [
      await comparePlays({
        what: `ring of ${members}, ${hops} hops`,
        count: hops,
        cast: { specs, pairs, backlog: 16 },
        play: async (crew) => assert.equal(await crew.run(0), hops, 'hops'),
        rounds,
      }),
    ];
  },
};
