// Checks the threads of one profile where no agent runs on them yet.
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
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
  const { port1, port2 } = new MessageChannel();
  const job = { port: port2 } as never;
  const run = threads.run(job, new AbortController().signal);

  const ended = Promise.allSettled([run, threads.destroy()]);
  await within(ended, 'the end of the pool');
  port1.close();

  expect(failures).toEqual([]);
});
