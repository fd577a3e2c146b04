// Runs thirty random storms over real threads; `npm run storm` runs two thousand.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storm, stormSystem } from '../storm/driver.ts';
import { terminations } from '../storm/operations.ts';

it('hold through random storms (L1, M3, S1, S8, V5, V7)', { timeout: 300_000 }, async () => {
  const system = stormSystem();
  try {
    const property = fc.asyncProperty(terminations, (list) => storm(system, list));
    await fc.assert(property, { numRuns: 30, endOnFailure: true });
  } finally {
    await system.close();
  }
  expect(system.threads).toBe(0);
});
