// Checks random histories of trees on real threads: delegation of every kind, pauses, steers, background tasks, questions,
// approvals, hooks, crashes, interrupts: 30 with the two runs of the suite. `npm run storm` plays a long one over large trees.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { move } from '../storm/moves.ts';
import { TreeStorm } from '../storm/tree-storm.ts';

const start = { move: 'start', how: 'task', timeout: false } as const;
const opening = [start, start, { move: 'spawn' }] as const;

const history = fc.record({
  moves: fc.array(move, { minLength: 120, maxLength: 160, size: 'max' }),
  maxLiveAgents: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(30)),
  threads: fc.record({
    max: fc.integer({ min: 1, max: 4 }),
    parking: fc.constantFrom('when-needed' as const, 'always' as const),
  }),
  /** Lets everything come to its end before the supervisor is closed. */
  calms: fc.boolean(),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

async function play({ moves, maxLiveAgents, threads, calms }: History): Promise<void> {
  const storm = new TreeStorm({
    maxLiveAgents,
    threads,
    maxTotalAgents: 20,
    maxConcurrentChildren: 6,
    atOnce: () => null,
    rootKind: 'root',
    gust: 2,
  });
  try {
    await storm.begin();
    await storm.play([...opening, ...moves]);
    if (calms) await storm.calm();
  } finally {
    await storm.end();
  }
}

describe('trees of agents', () => {
  it('keep every promise through random histories (O1, O2, S4, S5, S8, M2, V5, V7, X5, C45, C46, L1)', async () => {
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 15, endOnFailure: true });
  }, 900_000);
});
