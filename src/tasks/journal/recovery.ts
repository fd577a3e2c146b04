// Owns the tasks that go on after a restart: so many of them at a time, and what is known of each.
import { nextTurn } from '../../base/next-turn.ts';
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

/** Tasks that are read from the journal at a time: it writes meanwhile, and answers between two groups. */
const maxReading = 16;

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
    let reading = 0;
    let begun = 0;
    let advance = (): void => {};
    const follow = async (place: TaskPlace): Promise<void> => {
      open += 1;
      reading += 1;
      const task = await recover(place);
      reading -= 1;
      advance();
      await task?.result;
      open -= 1;
      advance();
    };
    const changed = (): Promise<void> =>
      new Promise((resolve) => {
        advance = resolve;
      });
    const suspects: Promise<unknown>[] = [];
    for (const place of isAtStart ? [...found.roots()] : []) {
      // They have an order of their own.
      if (place.isSuspect) suspects.push(recover(place));
      else {
        while (open >= max || reading >= maxReading) await changed();
        begun += 1;
        // The program has its turn in between.
        if (begun % maxReading === 0) await nextTurn();
        if (isClosed()) break;
        // Its caller may have asked for it meanwhile.
        if (found.withId(place.taskId) !== null) void follow(place);
      }
    }
    while (reading > 0) await changed();
    await Promise.all(suspects);
    this.#isOver = true;
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
