// Owns when requests that busy threads could serve get a further thread: no thread has become free for a while (W7).
import { type CancelTimer, systemClock } from '../base/clock.ts';

/** Milliseconds without a free thread, measured on the machine's clock, whatever clock the supervisor has. */
const patienceMs = 50;

export type PoolGrowthOptions = {
  /** A request waits that may have a further thread. */
  readonly isDue: () => boolean;
  /** A thread is starting, and is about to be free. */
  readonly isComing: () => boolean;
  /** Threads become free, and have more to do than they can: only a core that no thread of ours uses helps. */
  readonly isBehind: () => boolean;
  /** Opens one. */
  readonly grow: () => void;
};

export class PoolGrowth {
  readonly #options: PoolGrowthOptions;
  #freeAt = 0;
  #cancel: CancelTimer | null = null;
  #onLook: (() => void)[] = [];

  constructor(options: PoolGrowthOptions) {
    this.#options = options;
  }

  /** A thread has become free. */
  threadFree(): void {
    this.#freeAt = systemClock.now();
  }

  /** A request waits: looks whether to grow until none does. */
  watch(): void {
    if (this.#cancel !== null) return;
    this.#cancel = systemClock.after(patienceMs, () => this.#look());
  }

  /** Resolves when it has looked once more; at once when nothing waits. */
  async looked(): Promise<void> {
    if (this.#cancel === null) return;
    await new Promise<void>((resolve) => this.#onLook.push(resolve));
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    for (const resolve of this.#onLook.splice(0)) resolve();
  }

  #look(): void {
    this.#cancel = null;
    const { isDue, isComing, isBehind, grow } = this.#options;
    if (isDue()) {
      const isStarved = systemClock.now() - this.#freeAt >= patienceMs;
      if ((isStarved || isBehind()) && !isComing()) grow();
      // Growing may have served the last one.
      if (isDue()) this.watch();
    }
    for (const resolve of this.#onLook.splice(0)) resolve();
  }
}
