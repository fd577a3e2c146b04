// Owns which activation an uncaught fault in this thread belongs to: the current one, an earlier one, or none.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Failure } from '../src/base/failures.ts';
import { toFault } from '../src/base/stack.ts';

/**
 * An uncaught fault of the current activation ends the thread. A fault of an earlier activation, or one that comes while
 * there is none, is survived and reported, once: the thread serves its current activation to the end, and no other (V1).
 */
export class StrayFaults {
  readonly #current: () => number | null;
  /** Set while the code of a tool or a hook runs, and in all that this code starts. */
  readonly #owner = new AsyncLocalStorage<number>();
  /** How many calls of tools and hooks are open. */
  #open = 0;
  #hasReported = false;

  constructor(around: {
    readonly current: () => number | null;
    readonly onStray: (cause: Failure) => void;
  }) {
    this.#current = around.current;
    process.on('uncaughtExceptionMonitor', (error: unknown) => {
      const current = this.#current();
      const owner = this.#owner.getStore();
      // Without an owner it came from what all activations share: modules, the ports of this thread.
      if (current !== null && (owner === undefined || owner === current)) return;
      survive();
      if (this.#hasReported) return;
      this.#hasReported = true;
      around.onStray(toFault(error, 'crashed'));
    });
  }

  /** True once a fault was survived: the thread serves no further activation. */
  get hasReported(): boolean {
    return this.#hasReported;
  }

  /**
   * Runs the code of a tool or a hook for the current activation. Until Node 24 every promise of a thread costs time
   * while its context is followed, so it is followed only while such a call is open.
   */
  async follow<T>(work: () => Promise<T>): Promise<T> {
    const current = this.#current();
    if (current === null) return work();
    this.#open += 1;
    try {
      return await this.#owner.run(current, work);
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#owner.disable();
    }
  }
}

/** An exception with a listener ends no thread; the listeners are called right after the monitors. */
function survive(): void {
  const listen = (): void => {};
  process.once('uncaughtException', listen);
  queueMicrotask(() => process.off('uncaughtException', listen));
}
