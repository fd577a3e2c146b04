// Owns the watchers and listeners of a cell's end, and its timers. Made at the first need: most actors have none.
import type { CancelTimer } from '../base/clock.ts';
import type { Address } from './address.ts';
import type { Exit } from './exit.ts';
import type { MessageRouter } from './message-router.ts';
import type { Receiver } from './receiver.ts';
import { toSerializable } from './serializable.ts';

export type ExitListener = (exit: Exit) => void;

export class Watchers {
  readonly #watchers = new Map<string, Address>();
  readonly #listeners = new Set<ExitListener>();
  readonly #timers = new Set<CancelTimer>();

  watch(watcher: Address): void {
    this.#watchers.set(watcher.id, watcher);
  }

  unwatch(watcher: Address): void {
    this.#watchers.delete(watcher.id);
  }

  listen(listener: ExitListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Keeps a timer until it fires or is cancelled; `arm` starts it. Returns its cancel. */
  addTimer(arm: (fired: () => void) => CancelTimer): CancelTimer {
    const cancelTimer = arm(() => this.#timers.delete(cancel));
    const cancel = (): void => {
      this.#timers.delete(cancel);
      cancelTimer();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  /** Sends the actor a message after a delay, unless all of this ends before. Throws `not_serializable`. */
  startTimer(
    router: Pick<MessageRouter<Receiver>, 'clock' | 'tell'>,
    address: Address,
    timer: {
      readonly delayMs: number;
      readonly message: unknown;
      readonly onFired: (() => void) | undefined;
    },
  ): CancelTimer {
    // Checked now: when the timer fires, no caller is left to catch the error (M6).
    const { value } = toSerializable(timer.message);
    return this.addTimer((fired) =>
      router.clock.after(timer.delayMs, () => {
        fired();
        timer.onFired?.();
        router.tell(address, address, value);
      }),
    );
  }

  cancelTimers(): void {
    for (const cancel of [...this.#timers]) cancel();
  }

  /** Removes and returns all watchers and listeners, so that each is notified once. */
  dismiss(): {
    readonly watchers: readonly Address[];
    readonly listeners: readonly ExitListener[];
  } {
    const watchers = [...this.#watchers.values()];
    const listeners = [...this.#listeners];
    this.#watchers.clear();
    this.#listeners.clear();
    return { watchers, listeners };
  }
}
