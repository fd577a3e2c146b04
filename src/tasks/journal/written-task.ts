// Owns what a task has to do with the journal: its log, what an earlier process left of it, whether its acceptance is durable.
import { type Failure, TroupeError } from '../../base/failures.ts';
import type { RestoredTask } from './restored-task.ts';
import type { RunLog } from './run-entry.ts';

/** Code that waits until something is written down. */
export type WriteWaiter = {
  readonly resolve: () => void;
  /** It never will be. */
  readonly reject: (error: TroupeError) => void;
};

export class WrittenTask {
  /** Null for a task that is not written down. */
  log: RunLog | null = null;
  /** An earlier process has accepted it. */
  isFound = false;
  /** Its run has begun there: that was published. */
  hasStarted = false;
  /** What that left of it, until its run goes on. */
  restored: RestoredTask | null = null;
  /** Of a recovered root that has not gone on yet: whether it is tried again alone, and whether its code has begun to run. */
  risk: { readonly isAlone: boolean; isTried: boolean } | null = null;
  /** Called when something begins to wait for its acceptance. */
  onAwaited: () => void = () => {};
  #acceptance: 'waiting' | 'written' | Failure = 'waiting';
  #waiting: WriteWaiter[] | null = null;

  /** Something waits for its acceptance. */
  get isAwaited(): boolean {
    return this.#waiting !== null;
  }

  /** Resolves when its acceptance is durable. Rejects when it never will be. */
  accepted(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#acceptance === 'written') resolve();
      else if (this.#acceptance !== 'waiting') reject(TroupeError.from(this.#acceptance));
      else {
        this.#waiting ??= [];
        this.#waiting.push({ resolve, reject });
        this.onAwaited();
      }
    });
  }

  /** `why`: it never will be; null when it is. */
  acceptanceEnded(why: Failure | null): void {
    this.#acceptance = why ?? 'written';
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { resolve, reject } of waiting) {
      if (why === null) resolve();
      else reject(TroupeError.from(why));
    }
  }
}
