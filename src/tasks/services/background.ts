// Owns tasks that were started and are not awaited: which of them run, how the others ended, until acknowledged, and what
// their owner may do with them. Leaves out the text by which a run is notified (background-notice.ts).
import { defaultMailboxLimits } from '../../actor/mailbox.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { PendingResults } from '../../base/pending-results.ts';
import { resolvedWithin } from '../../base/resolved-within.ts';
import type { BackgroundTask } from '../../protocol/host-services.ts';
import type { SteerReceipt } from '../../protocol/steer-receipt.ts';
import type { BackgroundTasks, Subtask } from '../../tools/tool.ts';
import type { UnreadEnd } from '../journal/restored-task.ts';
import type { Task, TaskStatus } from '../task.ts';

/** A task that is not awaited, as it is followed here. */
export type FollowedTask = {
  readonly id: string;
  readonly task: Task;
  /** Null until its agent is resolved. */
  readonly spec: { readonly name: string } | null;
  /** Null while it runs. */
  readonly outcome: Outcome | null;
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

/** Who starts the tasks: the run of an agent, or a loop of the program, which keeps its own conversation. */
export type BackgroundOwner = {
  /** Accepts a task in the owner's name; `width` is how many it would then have. Throws what is wrong with it. */
  submit(
    task: Subtask,
    call: {
      readonly width: number;
      readonly signal: AbortSignal;
      /** The tool call that starts it; undefined where none is known. */
      readonly callId: string | undefined;
    },
  ): readonly FollowedTask[];
  interrupt(taskId: string, reason: string): Promise<unknown>;
  steer(taskId: string, text: string): Promise<SteerReceipt>;
  setPaused(taskId: string, isPaused: boolean): void;
  /** Adds a message to the conversation of its run; false when the run cannot receive it. */
  notify?(text: string): boolean;
  /** Notifies its run of an end that no call waits for; returns how to retract that while it is undelivered. */
  ended?(completion: Completion): () => void;
  /** The end of a task was received. */
  acknowledged?(taskId: string): void;
  /** True when the tasks end with whatever ended a call: waiting for them is short, and their ends are its answer (S9). */
  areEnding?(): boolean;
};

/** Ends that may wait: as many as messages in a mailbox (M5). */
const maxUnacknowledged = defaultMailboxLimits.maxMessages;

export class Background {
  readonly #clock: Clock;
  readonly #owner: BackgroundOwner;
  readonly #tasks: PendingResults<FollowedTask, Completion>;
  #lastCompletion = 0;
  /** Tasks of an earlier process that are about to be here; null for none. */
  #coming: Promise<void> | null = null;

  constructor(clock: Clock, owner: BackgroundOwner) {
    this.#clock = clock;
    this.#owner = owner;
    this.#tasks = new PendingResults(
      (completion) => owner.ended?.(completion) ?? null,
      ({ taskId }) => owner.acknowledged?.(taskId),
    );
  }

  /** What the owner may do in a call that is over when `signal` aborts; its waits are made inside `suspend`. */
  calls(
    signal: AbortSignal,
    suspend: <Value>(work: Promise<Value>) => Promise<Value> = (work) => work,
    callId?: string,
  ): BackgroundTasks {
    const when = async <Value>(perform: () => Value | Promise<Value>): Promise<Value> => {
      if (this.#coming !== null) await this.#coming;
      return perform();
    };
    return {
      start: (task) => when(() => this.#start(task, signal, callId)),
      list: () => when(() => this.list()),
      wait: (taskId, options) => when(() => suspend(this.#outcomeOf(taskId, signal, options))),
      stop: (taskId) => when(() => suspend(this.#stop(taskId))),
      steer: (taskId, text) => when(() => this.#owner.steer(this.entryOf(taskId).id, text)),
      pause: (taskId) => when(() => this.#owner.setPaused(this.entryOf(taskId).id, true)),
      resume: (taskId) => when(() => this.#owner.setPaused(this.entryOf(taskId).id, false)),
      notify: async (text) => this.#owner.notify?.(text) ?? false,
    };
  }

  #start(task: Subtask, signal: AbortSignal, callId: string | undefined): string {
    this.refuseWhenFull();
    this.#refuseDuplicate(task);
    const [entry] = this.#owner.submit(task, {
      width: this.unfinished().length + 1,
      signal,
      callId,
    });
    if (entry === undefined) throw new TroupeError('internal', 'a task has no entry');
    const { outcome } = entry;
    // A task that met a limit has not begun: its error is the caller's at once.
    if (outcome?.exitReason === 'rejected' && outcome.error !== undefined) {
      throw TroupeError.from(outcome.error);
    }
    this.add(entry);
    return entry.id;
  }

  /** Running the same work twice costs twice: a caller that wants it sets another name or goal (F9). */
  #refuseDuplicate(wanted: Subtask): void {
    // A value that is no task is refused where tasks are checked, with a fitting message.
    if (typeof wanted?.goal !== 'string') return;
    const { goal, context, agent, name, continues } = wanted;
    // What goes on with different tasks may be told the same.
    if (continues !== undefined) return;
    const same = this.unfinished().find(
      ({ task }) =>
        task.goal.trim() === goal.trim() &&
        task.context === context &&
        task.agent === agent &&
        task.name === name,
    );
    if (same === undefined) return;
    throw new TroupeError(
      'duplicate_task',
      `background task ${same.id} does this already and still runs: wait for it, or ask for something else`,
    );
  }

  async #outcomeOf(
    taskId: string,
    signal: AbortSignal,
    { timeoutMs }: WaitOptions = {},
  ): Promise<Outcome | null> {
    try {
      return (await this.wait(taskId, { timeoutMs, signal }))?.outcome ?? null;
    } catch (reason) {
      if (!signal.aborted || this.#owner.areEnding?.() !== true) throw reason;
      return (await this.wait(taskId))?.outcome ?? null;
    }
  }

  async #stop(taskId: string): Promise<Outcome> {
    const entry = this.entryOf(taskId);
    // The caller waits for the end itself, so no notice is sent.
    const ended = this.wait(taskId);
    await this.#owner.interrupt(taskId, 'it was stopped by its owner');
    await ended;
    return copyData(await entry.result);
  }

  /** Throws `mailbox_full` when too many ends are unacknowledged. */
  refuseWhenFull(): void {
    if (this.#tasks.results().length < maxUnacknowledged) return;
    const why = `${maxUnacknowledged} background tasks have ended and were not acknowledged: acknowledge their ends, or wait for the tasks`;
    throw new TroupeError('mailbox_full', why, { retryable: true });
  }

  /** One that is here already stays as it is. */
  add(entry: FollowedTask): void {
    if (this.#tasks.find(entry.id) !== null) return;
    this.#tasks.add(entry.id, entry);
    void entry.result.then((outcome) =>
      this.#tasks.end(entry.id, this.#completion(entry, outcome)),
    );
  }

  /** One that had ended in an earlier process; with `isNoticed` its end was told, in short. */
  addEnded({ task, outcome }: UnreadEnd, isNoticed: boolean): void {
    const { taskId: id, status } = outcome;
    if (this.#tasks.find(id) !== null) return;
    const ended = { id, task, spec: null, outcome, result: Promise.resolve(outcome) };
    const entry = { ...ended, status: () => status };
    this.#tasks.addEnded(id, entry, this.#completion(entry, outcome), isNoticed);
  }

  /** Calls wait until what an earlier process had left is here. */
  expect(coming: Promise<void>): void {
    const expected = coming.then(() => {
      if (this.#coming === expected) this.#coming = null;
    });
    this.#coming = expected;
  }

  /** Resolves when what an earlier process had left is here, and can be steered and interrupted. */
  async whenHere(): Promise<void> {
    await this.#coming;
  }

  #completion({ id: taskId, task: { goal } }: FollowedTask, outcome: Outcome): Completion {
    this.#lastCompletion += 1;
    return { id: `c${this.#lastCompletion}`, taskId, goal, outcome };
  }

  /** All unacknowledged tasks, running or ended, whatever notices were delivered. */
  list(): readonly BackgroundTask[] {
    return this.#tasks.works().map(rowOf);
  }

  /** Those of the list that have not ended. */
  unfinished(): readonly FollowedTask[] {
    return this.#tasks.works().filter(({ outcome }) => outcome === null);
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

  /** True for a task that is here and that no call waits for. */
  isUnawaited(taskId: string): boolean {
    return this.#tasks.find(taskId) !== null && !this.#tasks.isAwaited(taskId);
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
}

function rowOf(entry: FollowedTask): BackgroundTask {
  return {
    taskId: entry.id,
    name: entry.task.name ?? entry.spec?.name ?? 'agent',
    goal: entry.task.goal,
    status: entry.status(),
  };
}
