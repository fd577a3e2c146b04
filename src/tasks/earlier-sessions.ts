// Owns the sessions of an earlier process: each is found by its id, once; and what is written down of those of this one.
import { toFailure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { BoardChange } from '../journal/records.ts';
import { outcomeOfWaiting } from './completion/outcomes.ts';
import type { EarlierTasks } from './earlier-tasks.ts';
import type { StoredSession, TaskOfSession } from './journal/stored-session.ts';
import type { TaskJournal } from './journal/task-journal.ts';
import type { SchedulerMessage } from './messages.ts';
import type { FollowedTask } from './services/background.ts';
import { TaskRecord } from './state.ts';
import type { TaskRegistry } from './task-registry.ts';

export type EarlierSessionsOptions = {
  readonly registry: TaskRegistry;
  readonly earlier: Pick<EarlierTasks, 'withId'>;
  /** Null where nothing is written down. */
  readonly journal: TaskJournal | null;
  /** Those of which the journal has something. */
  readonly ids: readonly string[];
  readonly dispatch: (message: SchedulerMessage) => void;
  readonly now: () => number;
};

export class EarlierSessions {
  readonly #options: EarlierSessionsOptions;
  /** Those that nothing in this process has asked for yet. */
  readonly #ids: Set<string>;

  constructor(options: EarlierSessionsOptions) {
    this.#options = options;
    this.#ids = new Set(options.ids);
  }

  /** Boards are written down. */
  get areWritten(): boolean {
    return this.#options.journal !== null;
  }

  has(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  /** Null for one that an earlier process did not have. Reads it at once; throws what is wrong with the journal. */
  take(sessionId: string): StoredSession | null {
    const { journal } = this.#options;
    if (journal === null || !this.#ids.has(sessionId)) return null;
    const stored = journal.readSession(sessionId);
    this.#ids.delete(sessionId);
    return stored;
  }

  /** A task of one that has not ended, as it goes on; `ready` once it has its place again, or never will. */
  follow({ taskId, task }: TaskOfSession): {
    readonly entry: FollowedTask;
    readonly ready: Promise<void>;
  } {
    const { earlier, registry, now } = this.#options;
    const origin = { parent: null, index: 0, width: 1 };
    const lost = (thrown: unknown): Outcome => {
      const record = new TaskRecord({ id: taskId, task, origin, acceptedAt: now(), agent: null });
      const end = { exitReason: 'interrupted', error: toFailure(thrown) } as const;
      return outcomeOfWaiting(record, end, now());
    };
    let outcome: Outcome | null = null;
    const recovered = earlier.withId(taskId);
    const result = recovered
      .then((record) => record.result)
      .catch(lost)
      .then((ended) => {
        outcome = ended;
        return ended;
      });
    const running = () => registry.tasks.get(taskId);
    const entry: FollowedTask = {
      id: taskId,
      task,
      result,
      get spec() {
        return running()?.spec ?? null;
      },
      get outcome() {
        return outcome;
      },
      status: () => running()?.status() ?? outcome?.status ?? 'queued',
    };
    const done = (): void => {};
    return { entry, ready: recovered.then(done, done) };
  }

  /** What the board of a session has become; null once the session is over. */
  changed(sessionId: string, board: BoardChange | null): void {
    this.#options.dispatch({ type: 'session', change: { sessionId, board } });
  }
}
