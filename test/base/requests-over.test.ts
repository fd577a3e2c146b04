// Checks that what waits for the requests of a thread also waits for its jobs in the thread pool that no list of Node's has (V8).
import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemClock } from '#src/base/clock.js';
import { requestsOver } from '#src/base/next-turn.js';

const poolSize = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);

it('a file that waits to be read behind other work of the thread pool is waited for (V8)', async () => {
  let hashed = 0;
  const hashes = Array.from(
    { length: poolSize },
    () =>
      new Promise<void>((resolve) => {
        pbkdf2('any', 'salt', 20_000, 64, 'sha512', () => {
          hashed += 1;
          resolve();
        });
      }),
  );
  const text = readFile(new URL(import.meta.url), 'utf8');

  await requestsOver(systemClock.now);

  // The read is queued behind the hashes: none of them over means that it was not waited for.
  expect(hashed).toBeGreaterThan(0);
  await Promise.all([...hashes, text]);
});
