// Checks persistent agents on a journal whose process is killed at any moment and started again.
import { it } from 'vitest';
import { folderWith } from '../support/command.ts';
import { agentsJob } from './killed-jobs.ts';
import { killed } from './lives.ts';

/** Lines after which each life is killed. */
const lives = [1, 4, 7, 3, 9, 12, 5, 17];

it('answers once what it was asked before a kill, and remembers it once (J2, J4, J5)', {
  timeout: 240_000,
}, async () => {
  const folder = folderWith();
  await killed(
    agentsJob(folder, 8),
    folder,
    lives.map((lines) => ({ lines })),
  );
});
