// Owns how work and waits end with a signal. None of them leaves a listener behind.
import { whenAborted } from './when-aborted.ts';

/**
 * Does `work`, and calls `onAbort` once when the signal aborts meanwhile, synchronously; before the work when the signal
 * has aborted already. Resolves and rejects as the work does.
 */
export async function withAbort<Value>(
  signal: AbortSignal | undefined,
  onAbort: (aborted: AbortSignal) => void,
  work: () => Promise<Value>,
): Promise<Value> {
  if (signal === undefined) return await work();
  if (signal.aborted) onAbort(signal);
  const stop = whenAborted(signal, () => onAbort(signal));
  try {
    return await work();
  } finally {
    stop();
  }
}

/**
 * What the promise comes to, when it settles before the signal aborts. Else rejects with what `why` returns, which is
 * called as the signal aborts; default the signal's reason. What the promise comes to later is ignored.
 */
export function unlessAborted<Value>(
  signal: AbortSignal,
  promise: Promise<Value>,
  why: () => unknown = () => signal.reason,
): Promise<Value> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(why());
    else stop = whenAborted(signal, () => reject(why()));
  });
  promise.then(stop, stop);
  return Promise.race([promise, aborted]);
}

/**
 * A promise that `start` settles later, or that rejects with what `why` returns once the signal aborts; default its
 * reason. `start` returns what ends its wait: that is called synchronously, before the promise settles, and again when
 * `start` settles it again. For a signal that has aborted already, `start` is not called. `start` may neither settle the
 * promise nor abort the signal before it returns.
 */
export function abortablePromise<Value>(
  signal: AbortSignal,
  start: (resolve: (value: Value) => void, reject: (error: unknown) => void) => () => void,
  why: () => unknown = () => signal.reason,
): Promise<Value> {
  if (signal.aborted) return Promise.reject(why());
  return new Promise((resolve, reject) => {
    const endThen = (settle: () => void): void => {
      stop();
      end();
      settle();
    };
    const end = start(
      (value) => endThen(() => resolve(value)),
      (error) => endThen(() => reject(error)),
    );
    const stop = whenAborted(signal, () => endThen(() => reject(why())));
  });
}
