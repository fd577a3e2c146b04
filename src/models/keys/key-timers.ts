// Owns the timers of a rate-limited client: at most one of a kind per key, and waits that an abort ends.
import type { CancelTimer, Clock } from '../../base/clock.ts';
import { TroupeError } from '../../base/failures.ts';
import { abortablePromise } from '../../base/with-abort.ts';

/** The wait when a provider reports that it is full and not for how long. */
export const unnamedResetMs = 60_000;
/** After so long a silent call no longer delays the calls behind it. */
export const patienceMs = 5_000;

/** `wait`: the provider asked for it; `reset`: its limits become whole; `patience`: see `patienceMs`. */
export type KeyTimer = 'wait' | 'reset' | 'patience';

export class KeyTimers {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #running = new Map<string, CancelTimer>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Starts the timer unless it runs. */
  ensure(key: number, kind: KeyTimer, delayMs: number, fire: () => void): void {
    const id = `${key} ${kind}`;
    if (this.#running.has(id)) return;
    const cancel = this.#clock.after(delayMs, () => {
      this.#running.delete(id);
      fire();
    });
    this.#running.set(id, cancel);
  }

  restart(key: number, kind: KeyTimer, delayMs: number, fire: () => void): void {
    this.cancel(key, kind);
    this.ensure(key, kind, delayMs, fire);
  }

  cancel(key: number, kind: KeyTimer): void {
    const id = `${key} ${kind}`;
    this.#running.get(id)?.();
    this.#running.delete(id);
  }

  /** Resolves after the delay; rejects `aborted` with the signal. */
  wait(delayMs: number, signal: AbortSignal): Promise<void> {
    return abortablePromise(signal, (resolve) => this.#clock.after(delayMs, resolve), abortedCall);
  }
}

export function abortedCall(): TroupeError {
  return new TroupeError('aborted', 'the model call was aborted while it waited for its provider');
}
