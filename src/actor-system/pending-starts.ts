// Owns spawns that wait for their actor's first start: settled by the start, the exit, or a deadline.
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { CancelTimer, Clock } from '../base/clock.ts';
import { failure, TroupeError } from '../base/failures.ts';

type Waiting = { readonly settle: () => void; readonly fail: (error: TroupeError) => void };

export class PendingStarts {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<Cell, Waiting>();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Resolves when `cell` has started; `giveUp` ends a start that takes too long. `settled` runs with the start itself,
   * before anything that the started actor does.
   */
  wait(cell: Cell, giveUp: () => unknown, settled: () => void = () => {}): Promise<void> {
    if (cell.isOver || cell.state.status !== 'starting') {
      settled();
      if (!cell.isOver) return Promise.resolve();
      return Promise.reject(failedStart(cell, { reason: 'spawn_failed' }));
    }
    return new Promise((resolve, reject) => {
      const cancel: CancelTimer = this.#clock.after(this.#timeoutMs, () => {
        const path = cell.address.path;
        this.#waiting
          .get(cell)
          ?.fail(
            new TroupeError('spawn_failed', `${path} did not start within ${this.#timeoutMs} ms`),
          );
        giveUp();
      });
      const done = (): void => {
        cancel();
        this.#waiting.delete(cell);
        settled();
      };
      this.#waiting.set(cell, {
        settle: () => {
          done();
          resolve();
        },
        fail: (error) => {
          done();
          reject(error);
        },
      });
    });
  }

  started(cell: Cell): void {
    this.#waiting.get(cell)?.settle();
  }

  released(cell: Cell, exit: Exit): void {
    this.#waiting.get(cell)?.fail(failedStart(cell, exit));
  }

  /** Rejects every start that still waits: the system closed. */
  close(): void {
    const why = new TroupeError('closed', 'the system closed before the actor started');
    for (const waiting of [...this.#waiting.values()]) waiting.fail(why);
  }
}

function failedStart(cell: Cell, exit: Exit): TroupeError {
  const { path } = cell.address;
  return TroupeError.from(
    exit.failure ?? failure('spawn_failed', `${path} ended (${exit.reason}) before it started`),
  );
}
