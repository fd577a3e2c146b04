// Owns offers that wait for space in a full mailbox, first come first served (M5).
import type { CancelTimer, Clock } from '../base/clock.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { OfferResult } from './behavior.ts';

type Waiting = {
  readonly bytes: number;
  readonly admit: () => void;
  settle(result: OfferResult): void;
};

export class BlockedSenders {
  readonly #clock: Clock;
  readonly #waiting: Waiting[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves `accepted` once `admit` ran, `full` when the time is over or the signal aborts, `dead` at `close`. */
  wait(
    bytes: number,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
    admit: () => void,
  ): Promise<OfferResult> {
    const { timeoutMs, signal } = options;
    if (signal?.aborted === true || (timeoutMs !== undefined && timeoutMs <= 0)) {
      return Promise.resolve('full');
    }
    return new Promise((resolve) => {
      let cancelTimer: CancelTimer | null = null;
      let stop = (): void => {};
      const waiting: Waiting = {
        bytes,
        admit,
        settle: (result) => {
          cancelTimer?.();
          stop();
          const at = this.#waiting.indexOf(waiting);
          if (at >= 0) this.#waiting.splice(at, 1);
          resolve(result);
        },
      };
      this.#waiting.push(waiting);
      if (timeoutMs !== undefined) {
        cancelTimer = this.#clock.after(timeoutMs, () => waiting.settle('full'));
      }
      if (signal !== undefined) stop = whenAborted(signal, () => waiting.settle('full'));
    });
  }

  /** Admits from the front while there is space. */
  admit(hasSpace: (bytes: number) => boolean): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!hasSpace(first.bytes)) return;
      // Out of the queue first: what is admitted may make its receiver take mail, and look here again, in this call.
      first.settle('accepted');
      first.admit();
    }
  }

  /** The actor ended: every offer that waits resolves `dead`. */
  close(): void {
    for (const waiting of [...this.#waiting]) waiting.settle('dead');
  }
}
