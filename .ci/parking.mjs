// Runs the test suite with agents that leave their threads at every wait: what is wrong with a run that moves shows at once.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', '.ci/vitest.config.mjs', ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, TROUPE_PARKING: 'always' } },
);
process.exit(status ?? 1);
