// Owns tasks that were started and are not awaited: which of them run, and how the others ended, until acknowledged.
// Leaves out who may start one, and how a run is notified (background-calls.ts, background-notice.ts).
import { defaultMailboxLimits } from '../../actor/mailbox.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { PendingResults } from '../../base/pending-results.ts';
import { resolvedWithin } from '../../base/resolved-within.ts';
import type { BackgroundTask } from '../../protocol/host-services.ts';
import type { Subtask } from '../../tools/tool.ts';
import type { Task, TaskStatus } from '../task.ts';

/** A task that is not awaited, as it is followed here. */
export type FollowedTask = {
  readonly id: string;
  readonly task: Task;
  /** Null until its agent is resolved. */
  readonly spec: { readonly name: string } | null;
  readonly isEnded: boolean;
  readonly result: Promise<Outcome>;
  status(): TaskStatus;
};

/** A background task that has ended; kept until it is acknowledged, however long that takes. */
export type Completion = {
  readonly id: string;
  readonly taskId: string;
  readonly goal: string;
  readonly outcome: Outcome;
};

export type WaitOptions = {
  /** Milliseconds on the supervisor's clock. Default: until the task ends or `signal` aborts. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Sends a notice of an end; returns how to retract it while it is undelivered. */
export type NotifyOfEnd = (completion: Completion) => () => void;

/** Ends that may wait: as many as messages in a mailbox (M5). */
const maxUnacknowledged = defaultMailboxLimits.maxMessages;

export class Background {
  readonly #clock: Clock;
  readonly #tasks: PendingResults<FollowedTask, Completion>;
  #lastCompletion = 0;

  /** `notify` is called for every end that no call waits for. */
  constructor(clock: Clock, notify: NotifyOfEnd) {
    this.#clock = clock;
    this.#tasks = new PendingResults(notify);
  }

  get running(): number {
    return this.#unfinished().length;
  }

  /** A running task with the same goal, context, agent and name; null when there is none. */
  runningLike({ goal, context, agent, name }: Subtask): FollowedTask | null {
    const isAlike = ({ task }: FollowedTask): boolean =>
      task.goal.trim() === goal.trim() &&
      task.context === context &&
      task.agent === agent &&
      task.name === name;
    return this.#unfinished().find(isAlike) ?? null;
  }

  /** Throws `mailbox_full` when too many ends are unacknowledged. */
  refuseWhenFull(): void {
    if (this.#tasks.results().length < maxUnacknowledged) return;
    const why = `${maxUnacknowledged} background tasks have ended and were not acknowledged: acknowledge their ends, or wait for the tasks`;
    throw new TroupeError('mailbox_full', why, { retryable: true });
  }

  add(entry: FollowedTask): void {
    this.#tasks.add(entry.id, entry);
    void entry.result.then((outcome) => {
      this.#lastCompletion += 1;
      const { id: taskId, task } = entry;
      this.#tasks.end(taskId, { id: `c${this.#lastCompletion}`, taskId, goal: task.goal, outcome });
    });
  }

  /** All unacknowledged tasks, running or ended, whatever notices were delivered. */
  list(): readonly BackgroundTask[] {
    return this.#tasks.works().map(rowOf);
  }

  /** Those of the list that have not ended. */
  unfinished(): readonly BackgroundTask[] {
    return this.#unfinished().map(rowOf);
  }

  /** The unacknowledged ends, oldest first. */
  completions(): readonly Completion[] {
    return copyData(this.#tasks.results());
  }

  /** Forgets a completion that its reader has. False when it is forgotten already, or never was. */
  acknowledge(id: string): boolean {
    const completion = this.#tasks.results().find((each) => each.id === id);
    return completion !== undefined && this.#tasks.acknowledge(completion.taskId);
  }

  /** The same by the task, when its end was read elsewhere. False while it runs, and for a task that is not here. */
  acknowledgeTask(taskId: string): boolean {
    return this.#tasks.acknowledge(taskId);
  }

  entryOf(taskId: string): FollowedTask {
    const entry = this.#tasks.find(taskId);
    if (entry !== null) return entry;
    const known = this.#tasks.works().map(({ id }) => id);
    throw new TroupeError(
      'unknown_task',
      `there is no background task ${describe(taskId)}; there is: ${known.join(', ') || 'none'}`,
    );
  }

  /**
   * Resolves with the end of a task, which counts as acknowledged, or with null while it runs on. Waiting changes nothing
   * about the task, and a caller whose wait ran out may wait again. Rejects `unknown_task` and the signal's reason.
   */
  async wait(taskId: string, { timeoutMs, signal }: WaitOptions = {}): Promise<Completion | null> {
    const { result } = this.entryOf(taskId);
    const until = resolvedWithin(result, { clock: this.#clock, timeoutMs, signal });
    return copyData(await this.#tasks.wait(taskId, until));
  }

  #unfinished(): readonly FollowedTask[] {
    return this.#tasks.works().filter(({ isEnded }) => !isEnded);
  }
}

function rowOf(entry: FollowedTask): BackgroundTask {
  return {
    taskId: entry.id,
    name: entry.task.name ?? entry.spec?.name ?? 'agent',
    goal: entry.task.goal,
    status: entry.status(),
  };
}
