// Owns a timer that can be paused: the time left counts on once every suspension is released.
import type { CancelTimer, Clock } from '../base/clock.ts';

export class PausableTimer {
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #fire: () => void;
  #leftMs: number;
  #startedAt = 0;
  #suspensions = 0;
  #cancel: CancelTimer | null = null;
  #isOver = false;

  constructor(clock: Pick<Clock, 'now' | 'after'>, delayMs: number, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
    this.#leftMs = delayMs;
    this.#arm();
  }

  /** Pauses the timer until each `suspend` has had its `release`. */
  suspend(): void {
    this.#suspensions += 1;
    if (this.#cancel === null) return;
    this.#cancel();
    this.#cancel = null;
    this.#leftMs -= this.#clock.now() - this.#startedAt;
  }

  release(): void {
    this.#suspensions -= 1;
    if (this.#suspensions === 0) this.#arm();
  }

  cancel(): void {
    this.#isOver = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  #arm(): void {
    if (this.#isOver) return;
    this.#startedAt = this.#clock.now();
    this.#cancel = this.#clock.after(this.#leftMs, () => {
      this.#isOver = true;
      this.#cancel = null;
      this.#fire();
    });
  }
}
