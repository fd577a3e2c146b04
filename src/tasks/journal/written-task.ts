// Owns what a task has to do with the journal: its log, what an earlier process left of it, whether its acceptance is durable.
import type { RestoredTask } from './restored-task.ts';
import type { RunLog } from './run-entry.ts';

export class WrittenTask {
  /** Null for a task that is not written down. */
  log: RunLog | null = null;
  /** An earlier process has accepted it. */
  isFound = false;
  /** What that left of it, until its run goes on. */
  restored: RestoredTask | null = null;
  /** Null once its acceptance is durable. */
  #waiting: (() => void)[] | null = [];

  /** Resolves when its acceptance is durable. */
  accepted(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting === null) resolve();
      else this.#waiting.push(resolve);
    });
  }

  isAccepted(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    for (const resolve of waiting ?? []) resolve();
  }
}
