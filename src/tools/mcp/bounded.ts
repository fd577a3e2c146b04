// Owns the wait for a server: it ends with the work, the deadline or the caller's signal, whichever comes first.
import type { Clock } from '../../base/clock.ts';
import { unlessAborted, withAbort } from '../../base/with-abort.ts';

export type Bounds = {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** What is thrown when the time is over. */
  readonly late: () => Error;
  readonly signal?: AbortSignal;
};

/** What the work comes to. When the time is over or `signal` aborts, rejects at once and aborts the signal of the work. */
export async function bounded<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { clock, timeoutMs, late, signal }: Bounds,
): Promise<Value> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const onAbort = ({ reason }: AbortSignal): void => abort.abort(reason);
  const cancel = clock.after(timeoutMs, () => abort.abort(late()));
  try {
    return await withAbort(signal, onAbort, () => unlessAborted(abort.signal, work(abort.signal)));
  } finally {
    cancel();
  }
}
