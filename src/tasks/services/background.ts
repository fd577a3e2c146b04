// Owns tasks that were started and are not awaited: which of them run, and how the others ended, until acknowledged.
// Leaves out who may start one, and how a run is notified (background-calls.ts, background-notice.ts).
import { defaultMailboxLimits } from '../../actor/mailbox.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { BackgroundTask } from '../../protocol/host-services.ts';
import type { Subtask } from '../../tools/tool.ts';
import { resolvedWithin } from '../completion/resolved-within.ts';
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

type Owned = {
  readonly entry: FollowedTask;
  completion: Completion | null;
  /** Number of calls that wait for it; each receives its end. */
  waiting: number;
  /** Retracts the notice of its end, unless it is delivered; null before one was sent. */
  retract: (() => void) | null;
};

/** Sends a notice of an end; returns how to retract it while it is undelivered. */
export type TellOfEnd = (completion: Completion) => () => void;

/** Ends that may wait: as many as messages in a mailbox (M5). */
const maxUnacknowledged = defaultMailboxLimits.maxMessages;

export class Background {
  readonly #clock: Clock;
  readonly #tell: TellOfEnd;
  readonly #owned = new Map<string, Owned>();
  /** Ends that are not acknowledged, in the order of the ends. */
  readonly #unacknowledged = new Map<string, Completion>();
  #lastCompletion = 0;

  /** `tell` is called for every end that no call waits for. */
  constructor(clock: Clock, tell: TellOfEnd) {
    this.#clock = clock;
    this.#tell = tell;
  }

  get running(): number {
    return this.#unfinished().length;
  }

  /** A running task with the same goal, context, agent and name; null when there is none. */
  runningLike({ goal, context, agent, name }: Subtask): FollowedTask | null {
    for (const { entry } of this.#unfinished()) {
      const { task } = entry;
      const isAlike = task.goal.trim() === goal.trim() && task.context === context;
      if (isAlike && task.agent === agent && task.name === name) return entry;
    }
    return null;
  }

  /** Throws `mailbox_full` when too many ends are unacknowledged. */
  refuseWhenFull(): void {
    if (this.#unacknowledged.size < maxUnacknowledged) return;
    const why = `${maxUnacknowledged} background tasks have ended and were not acknowledged: acknowledge their ends, or wait for the tasks`;
    throw new TroupeError('mailbox_full', why, { retryable: true });
  }

  add(entry: FollowedTask): void {
    const owned: Owned = { entry, completion: null, waiting: 0, retract: null };
    this.#owned.set(entry.id, owned);
    void entry.result.then((outcome) => {
      this.#lastCompletion += 1;
      const { id: taskId, task } = entry;
      const completion = { id: `c${this.#lastCompletion}`, taskId, goal: task.goal, outcome };
      owned.completion = completion;
      this.#unacknowledged.set(completion.id, completion);
      this.#tellUnacknowledged(owned);
    });
  }

  /** All unacknowledged tasks, running or ended, whatever notices were delivered. */
  list(): readonly BackgroundTask[] {
    return [...this.#owned.values()].map(rowOf);
  }

  /** Those of the list that have not ended. */
  unfinished(): readonly BackgroundTask[] {
    return this.#unfinished().map(rowOf);
  }

  /** The unacknowledged ends, oldest first. */
  completions(): readonly Completion[] {
    return copyData([...this.#unacknowledged.values()]);
  }

  /** Forgets a completion that its reader has. False when it is forgotten already, or never was. */
  acknowledge(id: string): boolean {
    const completion = this.#unacknowledged.get(id);
    return completion !== undefined && this.#forget(completion);
  }

  /** The same by the task, when its end was read elsewhere. False while it runs, and for a task that is not here. */
  acknowledgeTask(taskId: string): boolean {
    const completion = this.#owned.get(taskId)?.completion ?? null;
    return completion !== null && this.#forget(completion);
  }

  entryOf(taskId: string): FollowedTask {
    return this.#known(taskId).entry;
  }

  /**
   * Resolves with the end of a task, which counts as acknowledged, or with null while it runs on. Waiting changes nothing
   * about the task, and a caller whose wait ran out may wait again. Rejects `unknown_task` and the signal's reason.
   */
  async wait(taskId: string, { timeoutMs, signal }: WaitOptions = {}): Promise<Completion | null> {
    const owned = this.#known(taskId);
    owned.waiting += 1;
    try {
      await resolvedWithin(owned.entry.result, { clock: this.#clock, timeoutMs, signal });
      owned.waiting -= 1;
    } catch (reason) {
      owned.waiting -= 1;
      // Its end may have come while the caller gave up its wait.
      this.#tellUnacknowledged(owned);
      throw reason;
    }
    const { completion } = owned;
    if (completion === null) return null;
    // The caller has the end now: a notice that is still on its way would report it twice.
    owned.retract?.();
    this.acknowledge(completion.id);
    return copyData(completion);
  }

  /** Sends the notice of an end once, unless a call waits for it or it is acknowledged. */
  #tellUnacknowledged(owned: Owned): void {
    const { completion, waiting, retract } = owned;
    if (completion === null || waiting > 0 || retract !== null) return;
    if (this.#unacknowledged.has(completion.id)) owned.retract = this.#tell(completion);
  }

  #forget({ id, taskId }: Completion): boolean {
    this.#unacknowledged.delete(id);
    return this.#owned.delete(taskId);
  }

  #unfinished(): readonly Owned[] {
    return [...this.#owned.values()].filter(({ entry }) => !entry.isEnded);
  }

  #known(taskId: string): Owned {
    const owned = this.#owned.get(taskId);
    if (owned !== undefined) return owned;
    const known = [...this.#owned.keys()].join(', ') || 'none';
    throw new TroupeError(
      'unknown_task',
      `there is no background task ${describe(taskId)}; there is: ${known}`,
    );
  }
}

function rowOf({ entry }: Owned): BackgroundTask {
  return {
    taskId: entry.id,
    name: entry.task.name ?? entry.spec?.name ?? 'agent',
    goal: entry.task.goal,
    status: entry.status(),
  };
}
