// Runs many random storms over real threads: STORM_RUNS of them (2,000), from STORM_SEED or a seed that is printed.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storm, stormSystem } from './driver.ts';
import { terminations } from './operations.ts';

const runs = Number(process.env['STORM_RUNS'] ?? 2_000);
const seed = Number(process.env['STORM_SEED'] ?? Date.now() % 2_147_483_647);

it(`hold through ${runs} storms from seed ${seed} (L1, M3, S1, S8, V5, V7)`, async () => {
  process.stdout.write(`seed ${seed}\n`);
  const system = stormSystem();
  try {
    const property = fc.asyncProperty(terminations, (list) => storm(system, list));
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
  } finally {
    await system.close();
  }
  expect(system.threads).toBe(0);
});
