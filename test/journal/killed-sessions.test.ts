// Checks a session on a journal whose process is killed at any moment and started again.
import { it } from 'vitest';
import { folderWith } from '../support/command.ts';
import { sessionsJob } from './killed-jobs.ts';
import { killed } from './lives.ts';

/** Lines after which each life is killed. */
const lives = [1, 3, 2, 5, 4, 8];

it('has its board and receives every end, over kills (J2, J4, J5)', {
  timeout: 240_000,
}, async () => {
  const folder = folderWith();
  await killed(
    sessionsJob(folder, 10),
    folder,
    lives.map((lines) => ({ lines })),
  );
});
