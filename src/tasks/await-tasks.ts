// Owns the wait for tasks, which the caller may give up. Ends nothing itself.
import type { Outcome } from '../base/outcome.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { TaskRecord } from './state.ts';

/** Resolves with the outcomes, in order; calls `giveUp` once for all of them when the signal aborts, or has. */
export async function awaitTasks(
  entries: readonly TaskRecord[],
  signal: AbortSignal | undefined,
  giveUp: (aborted: AbortSignal) => void,
): Promise<readonly Outcome[]> {
  if (signal?.aborted === true) giveUp(signal);
  const stop = signal === undefined ? () => {} : whenAborted(signal, () => giveUp(signal));
  try {
    return await Promise.all(entries.map((entry) => entry.result));
  } finally {
    stop();
  }
}
