// Checks the threads of one profile where no agent runs on them yet.
import { expect, it } from 'vitest';
import { flagCount } from '#src/protocol/shared-flags.js';
import { PiscinaThreads } from '#src/threads/piscina-threads.js';
import { within } from '../supervisor/support.ts';

it('a thread that is still starting when its pool ends has not failed (A73, V6)', async () => {
  const failures: unknown[] = [];
  const threads = new PiscinaThreads(
    {},
    {
      max: 1,
      env: {},
      tsx: null,
      needed: new SharedArrayBuffer(4),
      onFailedToStart: (error) => failures.push(error),
    },
  );
  const sharedFlags = new Int32Array(new SharedArrayBuffer(flagCount * 4));
  const events = { message: () => {}, unreadable: () => {}, closed: () => {} };
  const { port, over } = threads.open(sharedFlags, events, new AbortController().signal);

  const ended = Promise.allSettled([over, threads.destroy()]);
  await within(ended, 'the end of the pool');
  port.close();

  expect(failures).toEqual([]);
});
