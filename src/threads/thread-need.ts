// Owns how many requests wait for a thread that none is on its way for: told to the supervisor, and shared with the threads, where
// runs that begin to wait leave when there is need (W1).
import { alwaysNeeded } from '../protocol/worker-messages.ts';
import type { PoolOptions } from './pool-options.ts';

export class ThreadNeed {
  readonly #options: Pick<PoolOptions, 'isAlwaysNeeded' | 'onNeeded'>;
  readonly #flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #onChange: () => void;
  #missing = 0;

  constructor(options: Pick<PoolOptions, 'isAlwaysNeeded' | 'onNeeded'>, onChange: () => void) {
    this.#options = options;
    this.#onChange = onChange;
    if (options.isAlwaysNeeded === true) this.#flag[0] = alwaysNeeded;
  }

  /** What every thread reads. */
  get shared(): SharedArrayBuffer {
    return this.#flag.buffer;
  }

  /** `canGrow`: another thread may be opened, now or in the place of one that is stuck. */
  report(missing: number, canGrow: boolean): void {
    const { isAlwaysNeeded = false, onNeeded } = this.#options;
    if (!isAlwaysNeeded) Atomics.store(this.#flag, 0, missing);
    const before = this.#missing;
    this.#missing = missing;
    this.#onChange();
    // Threads that have taken notice of more need leave by themselves.
    const hasChanged = missing > before || (missing === 0 && before > 0);
    if (hasChanged || !canGrow || isAlwaysNeeded) onNeeded?.({ missing, canGrow, isAlwaysNeeded });
  }
}
