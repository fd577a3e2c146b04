// Owns tasks that somebody started and does not await: which of them run, and how the others ended, until that was heard.
// Leaves out who may start one, and how a run is told (background-calls.ts).
import { defaultMailboxLimits } from '../../actor/mailbox.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { BackgroundTask, Subtask } from '../../tools/tool.ts';
import { settledWithin } from '../completion/settled-within.ts';
import type { TaskRecord } from '../task-record.ts';

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
  readonly entry: TaskRecord;
  completion: Completion | null;
  /** Who waits for it hears of its end from that. */
  waiting: number;
  /** Takes back what was told of its end, as far as nobody has heard it; null before it was told. */
  untell: (() => void) | null;
};

/** Tells of an end; returns how to take that back while nobody has heard it. */
export type TellOfEnd = (completion: Completion) => () => void;

/** Ends that may wait: as many as messages in a mailbox (M5). */
const maxUnheard = defaultMailboxLimits.maxMessages;

export class Background {
  readonly #clock: Clock;
  readonly #tell: TellOfEnd;
  readonly #owned = new Map<string, Owned>();
  /** What nobody has acknowledged, in the order it ended. */
  readonly #unheard = new Map<string, Completion>();
  #lastCompletion = 0;

  /** `tell` is called for every end that nobody waits for. */
  constructor(clock: Clock, tell: TellOfEnd) {
    this.#clock = clock;
    this.#tell = tell;
  }

  get running(): number {
    return this.#unfinished().length;
  }

  /** A task that runs now with this very goal and nothing that tells them apart; null when there is none. */
  runningLike({ goal, context, agent, name }: Subtask): TaskRecord | null {
    for (const { entry } of this.#unfinished()) {
      const { task } = entry;
      const isAlike = task.goal.trim() === goal.trim() && task.context === context;
      if (isAlike && task.agent === agent && task.name === name) return entry;
    }
    return null;
  }

  /** Throws `mailbox_full`: so many ends are unheard that whoever starts tasks here listens to none. */
  refuseWhenFull(): void {
    if (this.#unheard.size < maxUnheard) return;
    const why = `${maxUnheard} background tasks have ended and nobody acknowledged them: acknowledge their ends, or wait for the tasks`;
    throw new TroupeError('mailbox_full', why, { retryable: true });
  }

  add(entry: TaskRecord): void {
    const owned: Owned = { entry, completion: null, waiting: 0, untell: null };
    this.#owned.set(entry.id, owned);
    void entry.result.then((outcome) => {
      this.#lastCompletion += 1;
      const { id: taskId, task } = entry;
      const completion = { id: `c${this.#lastCompletion}`, taskId, goal: task.goal, outcome };
      owned.completion = completion;
      this.#unheard.set(completion.id, completion);
      this.#tellUnheard(owned);
    });
  }

  /** The truth about what runs, whatever notices were or were not heard. */
  list(): readonly BackgroundTask[] {
    return [...this.#owned.values()].map(rowOf);
  }

  /** Those of the list that have not ended. */
  unfinished(): readonly BackgroundTask[] {
    return this.#unfinished().map(rowOf);
  }

  /** The ends that nobody has acknowledged, oldest first. */
  completions(): readonly Completion[] {
    return copyData([...this.#unheard.values()]);
  }

  /** Somebody has the completion: it is forgotten. False when it was already, or never was. */
  acknowledge(id: string): boolean {
    const completion = this.#unheard.get(id);
    return completion !== undefined && this.#forget(completion);
  }

  /** The same by the task: somebody has its end from elsewhere. False while it runs, and of one that is not here. */
  acknowledgeTask(taskId: string): boolean {
    const completion = this.#owned.get(taskId)?.completion ?? null;
    return completion !== null && this.#forget(completion);
  }

  entryOf(taskId: string): TaskRecord {
    return this.#known(taskId).entry;
  }

  /**
   * Resolves with the end of a task, which counts as acknowledged, or with null while it runs on. Waiting changes nothing
   * about the task, and whoever waited in vain may wait again. Rejects `unknown_task`, and with the signal's reason.
   */
  async wait(taskId: string, { timeoutMs, signal }: WaitOptions = {}): Promise<Completion | null> {
    const owned = this.#known(taskId);
    owned.waiting += 1;
    try {
      await settledWithin(owned.entry.result, { clock: this.#clock, timeoutMs, signal });
      owned.waiting -= 1;
    } catch (reason) {
      owned.waiting -= 1;
      // Its end may have come while whoever waited for it gave up.
      this.#tellUnheard(owned);
      throw reason;
    }
    const { completion } = owned;
    if (completion === null) return null;
    // It is heard here: a message about it that is still on its way would tell it twice.
    owned.untell?.();
    this.acknowledge(completion.id);
    return copyData(completion);
  }

  /** Tells of an end once, unless somebody waits for it or has it. */
  #tellUnheard(owned: Owned): void {
    const { completion, waiting, untell } = owned;
    if (completion === null || waiting > 0 || untell !== null) return;
    if (this.#unheard.has(completion.id)) owned.untell = this.#tell(completion);
  }

  #forget({ id, taskId }: Completion): boolean {
    this.#unheard.delete(id);
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
    name: entry.task.name ?? entry.plan?.name ?? 'agent',
    goal: entry.task.goal,
    status: entry.status(),
  };
}
