// Checks O1, O2, O3, S8, S9, V1 and L1 after random histories on real threads; `npm run storm` plays many more.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { history, play } from './random.ts';

describe('a supervisor', () => {
  it('tells every task once, and leaves nothing alive, whatever happens to it (O2, O3, V1, S8, L1)', async () => {
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 30, endOnFailure: true });
  }, 120_000);
});
