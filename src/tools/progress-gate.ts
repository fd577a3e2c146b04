// Owns how often a call reports its progress: at once, then the newest of each 50 ms, and the last before its result.
import type { CancelTimer, Clock } from '../base/clock.ts';

const minGapMs = 50;

type Progress = { readonly fraction: number; readonly note: string | undefined };

export class ProgressGate {
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #tell: (fraction: number, note: string | undefined) => void;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #pending: Progress | null = null;
  #cancelTimer: CancelTimer | null = null;

  constructor(
    clock: Pick<Clock, 'now' | 'after'>,
    tell: (fraction: number, note: string | undefined) => void,
  ) {
    this.#clock = clock;
    this.#tell = tell;
  }

  report(fraction: number, note: string | undefined): void {
    this.#pending = { fraction, note };
    // A loop that never awaits lets no timer fire: each report looks at the clock as well.
    const leftMs = this.#reportedAt + minGapMs - this.#clock.now();
    if (leftMs <= 0) this.flush();
    else this.#cancelTimer ??= this.#clock.after(leftMs, () => this.flush());
  }

  /** Reports what is not reported yet; called before the call's result. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    this.#reportedAt = this.#clock.now();
    this.#tell(pending.fraction, pending.note);
  }
}
