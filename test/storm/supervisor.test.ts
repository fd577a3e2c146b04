// Plays many random histories of a supervisor on real threads. Run by `npm run storm`.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { history, play } from '../supervisor/random.ts';

describe('a supervisor', () => {
  it('keeps its promises through a storm (O2, O3, V1, S8, L1)', async () => {
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 1_000, endOnFailure: true });
  }, 3_600_000);
});
