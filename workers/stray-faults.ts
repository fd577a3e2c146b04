// Owns whose a fault is that nobody caught in this thread: of the life that is on, or of none that is.
import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Failure, toFailure } from '../src/errors.ts';

/**
 * What the life that is on throws ends the thread, as ever. What another has left behind throws, or anybody while none is
 * on, is survived and told, once: the thread serves the life that is on to its end, and no other (V1).
 */
export class StrayFaults {
  #hasTold = false;

  constructor(
    life: AsyncLocalStorage<number>,
    around: { readonly current: () => number | null; readonly onStray: (cause: Failure) => void },
  ) {
    process.on('uncaughtExceptionMonitor', (error: unknown) => {
      const current = around.current();
      const owner = life.getStore();
      // Without an owner it came from what all lives share: modules, the ports of this thread.
      if (current !== null && (owner === undefined || owner === current)) return;
      survive();
      if (this.#hasTold) return;
      this.#hasTold = true;
      around.onStray(toFailure(error, 'crashed'));
    });
  }

  /** The thread is not to be trusted with another life. */
  get hasTold(): boolean {
    return this.#hasTold;
  }
}

/** An exception that somebody listens to ends no thread; the listeners are asked right after the monitors. */
function survive(): void {
  const listen = (): void => {};
  process.once('uncaughtException', listen);
  queueMicrotask(() => process.off('uncaughtException', listen));
}
