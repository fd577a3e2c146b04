// Checks a service on a journal that is killed at any moment and started again until its job is done.
import { it } from 'vitest';
import { folderWith } from '../support/command.ts';
import { serviceJob } from './killed-jobs.ts';
import { killed } from './lives.ts';

/** Lines after which each life is killed. */
const lives = [1, 9, 14, 20, 26, 13, 31, 17, 22, 40];

it('goes on after every kill with every accepted task, and repeats nothing that must not be (J1, J2, J4, J8, F24)', {
  timeout: 240_000,
}, async () => {
  const folder = folderWith();
  await killed(
    serviceJob(folder, 12),
    folder,
    lives.map((lines) => ({ lines })),
  );
});
