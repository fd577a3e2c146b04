// The test suite: real threads against the build, in two processes that load it once and run one file after another.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export default defineConfig({
  root,
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/storm/**'],
    pool: 'forks',
    // A module is loaded once in a process: test/setup.ts registers the hooks of shared modules again for each file.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ['test/setup.ts'],
    // The build is plain JavaScript: Node loads it as a program would, without a transform.
    server: { deps: { external: [/\/dist\//] } },
  },
});
