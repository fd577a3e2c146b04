// Owns the tasks that go on after a restart: so many of them at a time, and what is known of each.
import type { Outcome } from '../../base/outcome.ts';
import type { EventBus } from '../../events/events.ts';
import type { TaskPlace } from '../../journal/records.ts';
import type { FoundTasks } from './found-tasks.ts';

/** A task that an earlier process left unfinished, and how it goes on. */
export type RecoveredTask = {
  /** The id that it had, and has. */
  readonly taskId: string;
  /** What it was asked. */
  readonly goal: string;
  /** The key that it was given under. */
  readonly idempotencyKey?: string;
  /** Responses of its model that are kept. */
  readonly turns: number;
  /** Tools whose calls had no result, and are made again. */
  readonly repeated: readonly string[];
  /** Tools whose calls may or may not have taken effect: the model is told so. */
  readonly unknown: readonly string[];
};

export type RecoveryOptions = {
  readonly found: FoundTasks;
  readonly events: EventBus;
  /** Tasks of earlier processes that are unfinished at a time. */
  readonly max: number;
  /** False: each goes on once the program asks for it. */
  readonly isAtStart: boolean;
  /** Resolves once the task has its place again; null when it does not go on now. */
  readonly recover: (place: TaskPlace) => Promise<{ readonly result: Promise<Outcome> } | null>;
  /** It goes on with the next supervisor: this one has closed. */
  readonly isClosed: () => boolean;
};

export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #recovered: RecoveredTask[] = [];
  #isOver = false;
  #wake: (() => void)[] = [];

  constructor(options: RecoveryOptions) {
    this.#options = options;
    options.events.on('task_recovered', (event) => {
      const { taskId = '', goal, turns, repeated, unknown, idempotencyKey } = event;
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      this.#recovered.push({ taskId, goal, ...key, turns, repeated, unknown });
      this.#changed();
    });
  }

  /** Each task that was recovered; ends when none is left to be. */
  async *recovered(): AsyncIterableIterator<RecoveredTask> {
    for (let at = 0; ; at += 1) {
      while (at >= this.#recovered.length) {
        if (this.#isOver) return;
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
      yield this.#recovered[at] as RecoveredTask;
    }
  }

  /** Recovers the roots in the order in which they were accepted, unless each waits to be asked for. Never rejects. */
  async run(): Promise<void> {
    const { found, max, isAtStart, recover, isClosed } = this.#options;
    let open = 0;
    const suspects: Promise<unknown>[] = [];
    let ended = (): void => {};
    for (const place of isAtStart ? [...found.roots()] : []) {
      // Its caller has asked for it meanwhile.
      if (found.withId(place.taskId) === null) continue;
      while (open >= max) {
        await new Promise<void>((resolve) => {
          ended = resolve;
        });
      }
      // They have an order of their own.
      if (place.isSuspect) suspects.push(recover(place));
      const task = place.isSuspect ? null : await recover(place);
      if (isClosed()) break;
      if (task === null) continue;
      open += 1;
      void task.result.then(() => {
        open -= 1;
        ended();
      });
    }
    await Promise.all(suspects);
    this.#isOver = true;
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
