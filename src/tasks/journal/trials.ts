// Owns the order of recovered tasks that may have ended the process before: one at a time, so that the next end points to one (J7).
import type { CancelTimer, Clock } from '../../base/clock.ts';
import { TroupeError } from '../../base/failures.ts';
import type { TaskRecord } from '../state.ts';

/** What earlier processes came to with an unfinished task. */
export type Risk = {
  /** The one before ended while it was being tried again. */
  readonly isSuspect: boolean;
  /** How many ended while it alone was, since it last went on. */
  readonly deaths: number;
};

export const noRisk: Risk = { isSuspect: false, deaths: 0 };

/**
 * How long a process has to live, in milliseconds, before it tries a suspect again that one, or two, have ended with: a process that
 * is ended by something else does not get so far. A suspect that more have ended with is not tried again.
 */
const tryAfterMs = [0, 5_000, 30_000] as const;

/** A task that waits for a person or a slow model lets the next one go on after so many milliseconds. */
const trialMs = 60_000;

type Suspect = { readonly resolve: () => void; readonly cancel: CancelTimer; isDue: boolean };

export class Trials {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** In their order. */
  readonly #waiting = new Map<string, Suspect>();
  #current: string | null = null;
  #cancel: CancelTimer = () => {};
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Resolves when the task may go on, and when it has ended before. Rejects `crashed` for one that is not tried again. */
  async take(
    { id, written, isEnded }: Pick<TaskRecord, 'id' | 'written' | 'isEnded'>,
    { isSuspect, deaths }: Risk,
  ): Promise<void> {
    const afterMs = tryAfterMs[deaths];
    if (afterMs === undefined) {
      const why = `${deaths} processes ended while task ${id} was the one that was tried again: it is not any more`;
      throw new TroupeError('crashed', why);
    }
    if (isEnded || this.#isClosed) return;
    written.risk = { isAlone: isSuspect, isTried: false };
    if (isSuspect) await new Promise<void>((resolve) => this.#enter(id, afterMs, resolve));
  }

  /** The task has gone on, or has ended. */
  end(taskId: string): void {
    this.#leave(taskId);
    if (this.#current !== taskId) return;
    this.#cancel();
    this.#current = null;
    this.#next();
  }

  /** The supervisor closes: nothing waits any longer. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
    for (const taskId of [...this.#waiting.keys()]) this.#leave(taskId);
  }

  #enter(taskId: string, afterMs: number, resolve: () => void): void {
    const delayMs = this.#startedAt + afterMs - this.#clock.now();
    const due = (): void => {
      suspect.isDue = true;
      this.#next();
    };
    const isDue = delayMs <= 0;
    const cancel = isDue ? () => {} : this.#clock.after(delayMs, due);
    const suspect: Suspect = { resolve, cancel, isDue };
    this.#waiting.set(taskId, suspect);
    this.#next();
  }

  #leave(taskId: string): void {
    const suspect = this.#waiting.get(taskId);
    this.#waiting.delete(taskId);
    suspect?.cancel();
    suspect?.resolve();
  }

  #next(): void {
    if (this.#current !== null) return;
    for (const [taskId, { isDue }] of this.#waiting) {
      if (!isDue) continue;
      this.#current = taskId;
      this.#cancel = this.#clock.after(trialMs, () => this.end(taskId));
      this.#leave(taskId);
      return;
    }
  }
}
