// Owns the host's half of a thread's timers: they run on the supervisor's clock (V8).
import type { CancelTimer, Clock } from '../base/clock.ts';

type TimerCommand =
  | { readonly type: 'set_timer'; readonly timer: number; readonly delayMs: number }
  | { readonly type: 'cancel_timer'; readonly timer: number }
  | { readonly type: 'ran'; readonly timer: number };

/** The host's side: one thread's timers. */
export class RemoteTimers {
  readonly #clock: Clock;
  readonly #wake: (timer: number) => void;
  readonly #running = new Map<number, CancelTimer>();
  readonly #woken = new Set<number>();
  readonly #settlers: (() => void)[] = [];

  constructor(clock: Clock, wake: (timer: number) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  receive(message: TimerCommand): void {
    const { type, timer } = message;
    switch (type) {
      case 'set_timer': {
        const fire = (): void => {
          this.#running.delete(timer);
          this.#woken.add(timer);
          this.#wake(timer);
        };
        this.#running.set(timer, this.#clock.after(message.delayMs, fire));
        return;
      }
      case 'cancel_timer':
        this.#running.get(timer)?.();
        this.#running.delete(timer);
        return;
      case 'ran':
        this.#woken.delete(timer);
        this.#settle();
        return;
    }
  }

  /** Resolves when the thread has run every timer that fired. */
  acknowledged(): Promise<void> {
    if (this.#woken.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#settlers.push(resolve));
  }

  /** The thread is gone: cancels its timers and resolves every `acknowledged`. */
  clear(): void {
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
    this.#woken.clear();
    this.#settle();
  }

  #settle(): void {
    if (this.#woken.size > 0) return;
    for (const resolve of this.#settlers.splice(0)) resolve();
  }
}
