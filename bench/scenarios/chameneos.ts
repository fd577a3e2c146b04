// T15: Savina's chameneos: pairs that meet at a mall, the one actor everybody has to go through.
import assert from 'node:assert/strict';
import { colours, type RoleSpec } from '../savina/roles.ts';
import { comparePlays, everyPair, savinaVariants } from '../savina/workload.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly creatures: number;
  readonly meetings: number;
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { creatures: 2, meetings: 20, rounds: 1 },
  normal: { creatures: 8, meetings: 2_000, rounds: 7 },
  full: { creatures: 32, meetings: 20_000, rounds: 11 },
};

/**
 * Creatures ask a mall for company; the mall hands the second one's wish to the first, which works out their colour and
 * tells the other. Meetings per second; the sum of what the creatures counted is twice the meetings. Published, no target.
 */
export const chameneos: Scenario = {
  name: 'chameneos',
  targets: ['T15'],
  description: 'creatures that meet at a mall, each on a thread: meetings per second',
  variants: savinaVariants,
  async run(size: Size) {
    const { creatures, meetings, rounds } = sizes[size];
    const specs: RoleSpec[] = [{ role: 'mall', creatures, meetings }];
    for (let born = 0; born < creatures; born += 1) {
      specs.push({ role: 'creature', colour: colours[born % colours.length] ?? 'blue' });
    }
    return [
      await comparePlays({
        what: `chameneos, ${creatures} creatures, ${meetings} meetings`,
        count: meetings,
        cast: { specs, pairs: everyPair(specs.length), backlog: 2 * specs.length },
        play: async (crew) => assert.equal(await crew.run(0), 2 * meetings, 'meetings counted'),
        rounds,
      }),
    ];
  },
};
