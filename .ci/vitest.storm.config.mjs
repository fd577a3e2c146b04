// The long storms: as the test suite, but those alone, and without a limit of time.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export default defineConfig({
  root,
  test: {
    include: ['test/storm/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 6 * 3_600_000,
    hookTimeout: 60_000,
    setupFiles: ['test/setup.ts'],
  },
});
