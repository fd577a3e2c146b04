// Owns the wait for a promise that may be given up: by a deadline, by a signal. Leaves no timer and no listener behind.
import type { Clock } from './clock.ts';
import { whenAborted } from './when-aborted.ts';

/** Resolves true when the promise settled in time, false when its time was over first. Rejects with the signal's reason. */
export async function resolvedWithin(
  promise: Promise<unknown>,
  limits: {
    readonly clock: Clock;
    readonly timeoutMs: number | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<boolean> {
  const { clock, timeoutMs, signal } = limits;
  signal?.throwIfAborted();
  let stop = (): void => {};
  let cancel = (): void => {};
  const givenUp = new Promise<false>((resolve, reject) => {
    if (signal !== undefined) stop = whenAborted(signal, () => reject(signal.reason));
    // No time at all is a question, not a wait.
    if (timeoutMs !== undefined && timeoutMs <= 0) resolve(false);
    else if (timeoutMs !== undefined) cancel = clock.after(timeoutMs, () => resolve(false));
  });
  try {
    return await Promise.race([promise.then(() => true), givenUp]);
  } finally {
    cancel();
    stop();
  }
}
