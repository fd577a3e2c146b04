// Owns the idle clock of one agent: activity resets it, a warning at 80 %, a fresh period after a suspension (V8, V9).
import type { CancelTimer, Clock } from '../base/clock.ts';

export type IdleClockOptions = {
  readonly clock: Clock;
  readonly limitMs: number;
  /** A shared counter that tools can raise in a loop that never awaits; compared between two looks. */
  readonly heartbeats: () => number;
  /** Asked when the time is over: whether that of an agent it waits for is too. That end counts as activity here. */
  readonly waitsForDue?: () => boolean;
  /** Asked at every look: whether something goes on that has a limit of its own, which is activity while it lasts. */
  readonly isLimitedOtherwise?: () => boolean;
  /** Asked when the time is over: whether it works on all the same, and has a further period. */
  readonly worksOn?: () => boolean;
  readonly onWarning: (idleMs: number) => void;
  readonly onIdle: () => void;
};

const warningAt = 0.8;
const suspendedGapMs = 2_000;

export class IdleClock {
  readonly #options: IdleClockOptions;
  #activeAt: number;
  #dueAt = 0;
  #heartbeats = 0;
  #hasWarned = false;
  #isPaused = false;
  #suspensions = 0;
  #cancel: CancelTimer | null = null;

  constructor(options: IdleClockOptions) {
    this.#options = options;
    this.#activeAt = options.clock.now();
    this.#arm(options.limitMs * warningAt);
  }

  /** Something happened: a model call started, a token came, a tool began, reported, beat, or a child did any of it. */
  touch(): void {
    this.#activeAt = this.#options.clock.now();
    this.#hasWarned = false;
  }

  /** True when its time is over and it has not reported that yet. */
  get isDue(): boolean {
    const { clock, limitMs } = this.#options;
    return this.#cancel !== null && clock.now() - this.#activeAt >= limitMs;
  }

  /** While queued, parked, or waiting for a human no time passes. */
  pause(): void {
    this.#isPaused = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#goOn();
  }

  /** A person is asked: no time passes until as many calls of `release`, whatever pauses and resumes it meanwhile. */
  suspend(): void {
    this.#suspensions += 1;
    this.#cancel?.();
    this.#cancel = null;
  }

  release(): void {
    this.#suspensions -= 1;
    this.#goOn();
  }

  stop(): void {
    this.pause();
  }

  #goOn(): void {
    if (this.#isPaused || this.#suspensions > 0) return;
    this.touch();
    this.#arm(this.#options.limitMs * warningAt);
  }

  #arm(delayMs: number): void {
    const { clock } = this.#options;
    this.#cancel?.();
    this.#dueAt = clock.now() + delayMs;
    this.#cancel = clock.after(delayMs, () => this.#look());
  }

  #look(): void {
    const { clock, limitMs, heartbeats, onIdle, onWarning } = this.#options;
    const now = clock.now();
    const beats = heartbeats();
    if (beats !== this.#heartbeats) {
      this.#heartbeats = beats;
      this.touch();
    }
    // The whole host was suspended: no agent could have been active, so none is timed out for it.
    if (now - this.#dueAt > suspendedGapMs) this.touch();
    if (this.#options.isLimitedOtherwise?.() === true) this.touch();
    if (now - this.#activeAt >= limitMs && this.#options.waitsForDue?.() === true) this.touch();
    if (now - this.#activeAt >= limitMs && this.#options.worksOn?.() === true) this.touch();
    const idleMs = now - this.#activeAt;
    if (idleMs >= limitMs) {
      this.#cancel = null;
      onIdle();
      return;
    }
    if (idleMs >= limitMs * warningAt) {
      if (!this.#hasWarned) {
        this.#hasWarned = true;
        onWarning(idleMs);
      }
      this.#arm(limitMs - idleMs);
      return;
    }
    this.#arm(limitMs * warningAt - idleMs);
  }
}
