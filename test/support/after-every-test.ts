// Owns the cleanups of shared test modules. Starts no test.
import { afterEach } from 'vitest';

type Cleanup = () => void | Promise<void>;

/** A process runs many test files and loads a shared module once: `test/setup.ts` registers these again for each file. */
export const cleanups: Cleanup[] = [];

/** Runs a cleanup after each test, of this file and of those that follow in its process. */
export function afterEveryTest(cleanup: Cleanup): void {
  cleanups.push(cleanup);
  afterEach(cleanup);
}
