// Owns the way of records to the journal: what is decided in one turn goes together, what waits for it comes back as a message.
import { type CancelTimer, systemClock } from '../../base/clock.ts';
import { type Failure, TroupeError, toFailure } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { EventBus } from '../../events/events.ts';
import type {
  JournalContents,
  JournalRecord,
  Kept,
  KeptAgent,
  KeptSession,
  KeptTask,
  TaskPlace,
} from '../../journal/records.ts';
import type { AfterWrite } from '../effect.ts';
import type { SchedulerMessage } from '../messages.ts';
import type { Task } from '../task.ts';
import type { TaskRegistry } from '../task-registry.ts';
import type { EndedBelow } from './restored-task.ts';
import { type ReadLog, readLog, storedRecord, type TaskWrite } from './run-entry.ts';
import { readSession, type StoredSession } from './stored-session.ts';
import { type ReadTask, readTask } from './stored-task.ts';
import { type LoadedAgent, readAgent } from './written-agent.ts';

/** Where records are kept. */
export interface Journal {
  readonly contents: JournalContents;
  /** Resolves when the records are durable, after all that were given before, however long that takes. Rejects after `giveUp`. */
  append(records: readonly JournalRecord[]): Promise<void>;
  /** Null for a task that is not kept. Waits and rejects as `append` does. */
  load(taskId: string): Promise<Kept<KeptTask> | null>;
  /** The same for a persistent agent, with its messages or without. */
  loadAgent(name: string, isWhole: boolean): Promise<Kept<KeptAgent> | null>;
  /** The same with its messages; waits for it. Throws what is wrong with the journal. */
  readAgent(name: string): Kept<KeptAgent> | null;
  /** A session; waits for it. Throws what is wrong with the journal. */
  readSession(sessionId: string): KeptSession;
  /** Calls `listener` when nothing can be written any more, with why, and with null when it can be again. */
  onChange(listener: (failure: Failure | null) => void): void;
  /** Calls `listener` with ended tasks that are not kept any longer. */
  onPruned(listener: (taskIds: readonly string[]) => void): void;
  /** Where it cannot write, what waits is rejected. */
  giveUp(): void;
}

/** A task as the journal has it. */
export type LoadedTask = {
  readonly asked: ReadTask;
  readonly log: ReadLog;
  /** Null of an unfinished one. */
  readonly outcome: Outcome | null;
};

/** Milliseconds that records which nothing waits for may wait for others: a task often ends soon after it was accepted. */
const unawaitedMs = 10;

/** So many numbers are reserved at a time: a later life begins after them. */
const taskNumbers = 10_000;
const eventNumbers = 1_000_000;

export type TaskJournalOptions = {
  readonly journal: Journal;
  readonly registry: Pick<TaskRegistry, 'lastNumber'>;
  readonly events: Pick<EventBus, 'lastSeq'>;
  readonly dispatch: (message: SchedulerMessage) => void;
};

export class TaskJournal {
  readonly #options: TaskJournalOptions;
  #reserved: { readonly tasks: number; readonly events: number };
  #records: TaskWrite[] = [];
  #then: AfterWrite[] = [];
  /** Something waits for what is to be written. */
  #isAwaited = false;
  /** Stops the wait of records that nothing waits for; null where there are none. */
  #cancel: CancelTimer | null = null;
  #isDue = false;
  /** Groups without an answer: what comes while there is one goes together, in fewer and larger transactions. */
  #inFlight = 0;

  constructor(options: TaskJournalOptions) {
    this.#options = options;
    const { journal, dispatch } = options;
    this.#reserved = journal.contents.reserved;
    journal.onChange((failure) => dispatch({ type: 'journal_changed', failure }));
    journal.onPruned((taskIds) => dispatch({ type: 'pruned', taskIds }));
    this.#sendLater();
  }

  write(records: readonly TaskWrite[], then: readonly AfterWrite[]): void {
    for (const record of records) this.#records.push(record);
    for (const effect of then) this.#then.push(effect);
    if (then.some(isAwaited) || records.some(({ type }) => type === 'recovery_tried')) {
      this.#hurry();
      return;
    }
    for (const effect of then) {
      if (effect.type === 'end_acceptance') effect.task.written.onAwaited = () => this.#hurry();
    }
    this.#cancel ??= systemClock.after(unawaitedMs, () => {
      this.#cancel = null;
      this.#hurry();
    });
  }

  /** A task and its log, all that was given to `write` before included. Rejects `recovery_failed`, `journal_failed`, `closed`. */
  async load(taskId: string): Promise<LoadedTask> {
    const loaded = await this.find(taskId);
    if (loaded !== null) return loaded;
    throw recoveryFailed(taskId, 'the journal does not have it any more');
  }

  /** The same; null for a task that the journal does not have. */
  async find(taskId: string): Promise<LoadedTask | null> {
    this.#flush();
    const kept = await this.#options.journal.load(taskId);
    if (kept === null) return null;
    if (kept.isDamaged) throw recoveryFailed(taskId, kept.why);
    const { task, commits } = kept.value;
    const outcome = task.outcome === null ? null : (JSON.parse(task.outcome) as Outcome);
    return { asked: readTask(task.spec), log: readLog(commits), outcome };
  }

  /** What tasks have used that have ended, and which ends are unread; one that cannot be read counts nothing. */
  async endedBelow(places: Iterable<TaskPlace>): Promise<readonly EndedBelow[]> {
    const read = async ({ taskId, place }: TaskPlace): Promise<readonly EndedBelow[]> => {
      this.#flush();
      const kept = await this.#options.journal.load(taskId);
      if (kept === null || kept.isDamaged || kept.value.task.outcome === null) return [];
      const { spec, outcome: text, isBackground, acknowledgedAt } = kept.value.task;
      const outcome = JSON.parse(text) as Outcome;
      const isUnread = isBackground && acknowledgedAt === null;
      const unread = isUnread ? { task: readTask(spec).task, outcome } : null;
      return [{ place: place ?? '', usage: outcome.usage.subtree, unread }];
    };
    return (await Promise.all([...places].map(read))).flat();
  }

  /** A persistent agent, with its memory or without, the same included; null for one that the journal does not have. Rejects as `load` does. */
  async findAgent(name: string, isWhole: boolean): Promise<LoadedAgent | null> {
    this.#flush();
    return agentOf(name, await this.#options.journal.loadAgent(name, isWhole));
  }

  /** The same with its memory, at once. Throws what is wrong with the journal too. */
  readAgent(name: string): LoadedAgent | null {
    this.#flush();
    return agentOf(name, this.#options.journal.readAgent(name));
  }

  /** A session, the same included, at once. Throws what is wrong with the journal. */
  readSession(sessionId: string): StoredSession {
    this.#flush();
    return readSession(this.#options.journal.readSession(sessionId));
  }

  /** The supervisor closes: what cannot be written is not waited for any longer. */
  giveUp(): void {
    this.#flush();
    this.#options.journal.giveUp();
  }

  #flush(): void {
    if (this.#records.length > 0) this.#send();
  }

  #hurry(): void {
    this.#isAwaited = true;
    this.#sendLater();
  }

  #sendLater(): void {
    if (this.#isDue || this.#inFlight > 0) return;
    this.#isDue = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    this.#isDue = false;
    this.#isAwaited = false;
    this.#cancel?.();
    this.#cancel = null;
    const records = withoutEnded(this.#records.splice(0)).map(storedRecord);
    const then = this.#then.splice(0);
    const { journal, dispatch } = this.#options;
    this.#inFlight += 1;
    journal.append([...records, ...this.#reservation()]).then(
      () => {
        this.#landed();
        if (then.length > 0) dispatch({ type: 'written', then });
      },
      (thrown: unknown) => {
        this.#landed();
        const failure = toFailure(thrown, 'journal_failed');
        if (then.length > 0) dispatch({ type: 'unwritten', then, failure });
      },
    );
  }

  #landed(): void {
    this.#inFlight -= 1;
    if (this.#isAwaited) this.#sendLater();
  }

  /** Half of them are left for what is numbered while the next reservation is on its way. */
  #reservation(): readonly JournalRecord[] {
    const { registry, events } = this.#options;
    const tasks = registry.lastNumber;
    const { lastSeq } = events;
    const isEnough =
      tasks + taskNumbers / 2 < this.#reserved.tasks &&
      lastSeq + eventNumbers / 2 < this.#reserved.events;
    if (isEnough) return [];
    this.#reserved = { tasks: tasks + taskNumbers, events: lastSeq + eventNumbers };
    return [{ type: 'numbers_reserved', ...this.#reserved }];
  }
}

/** That a task is accepted is waited for where its caller asks. */
function isAwaited(effect: AfterWrite): boolean {
  return effect.type !== 'end_acceptance' || effect.task.written.isAwaited;
}

function agentOf(name: string, kept: Kept<KeptAgent> | null): LoadedAgent | null {
  if (kept === null) return null;
  if (!kept.isDamaged) return readAgent(kept.value);
  throw new TroupeError('recovery_failed', `agent ${name} cannot go on: ${kept.why}`);
}

/** What a task has committed right before its end is not needed to go on. */
function withoutEnded(records: readonly TaskWrite[]): readonly TaskWrite[] {
  const ended = new Set<string>();
  for (const record of records) if (record.type === 'task_ended') ended.add(record.taskId);
  if (ended.size === 0) return records;
  return records.filter((record) => record.type !== 'run_committed' || !ended.has(record.taskId));
}

/** What stands for a task that cannot be read: its key is still its own. */
export function unreadableTask({ idempotencyKey }: Pick<TaskPlace, 'idempotencyKey'>): Task {
  return idempotencyKey === null ? { goal: '' } : { goal: '', idempotencyKey };
}

export function recoveryFailed(taskId: string, why: string): TroupeError {
  return new TroupeError('recovery_failed', `task ${taskId} cannot go on: ${why}`);
}
