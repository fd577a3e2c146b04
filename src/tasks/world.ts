// Owns what the scheduler knows: its tasks, agents and slots, the time of the decision in hand, the effects it has decided on.
import type { Failure } from '../base/failures.ts';
import type { EventPayloads, EventSubject, EventType } from '../events/event-types.ts';
import type { JournalContents } from '../journal/records.ts';
import type { Message } from '../protocol/history.ts';
import type { Limits } from '../supervision/admission.ts';
import type { AfterWrite, Effect } from './effect.ts';
import { FoundTasks } from './journal/found-tasks.ts';
import type { TaskWrite } from './journal/run-entry.ts';
import type { BudgetDefaults } from './run-budget.ts';
import { SlotQueue } from './slot-queue.ts';
import type { Agent, Run } from './state.ts';
import { TaskRegistry } from './task-registry.ts';
import type { ThreadDemand } from './thread-use.ts';

/** Effects that were decided on, in the order in which they are to be performed. */
export class EffectQueue {
  /** Its places are used again: there are effects many times a turn. */
  readonly #effects: (Effect | undefined)[] = [];
  #next = 0;
  #end = 0;

  push(effect: Effect): void {
    this.#effects[this.#end] = effect;
    this.#end += 1;
  }

  /** The next one; undefined when none is left. */
  take(): Effect | undefined {
    if (this.#next === this.#end) {
      this.#next = 0;
      this.#end = 0;
      if (this.#effects.length > maxPlaces) this.#effects.length = 0;
      return undefined;
    }
    const effect = this.#effects[this.#next];
    this.#effects[this.#next] = undefined;
    this.#next += 1;
    return effect;
  }
}

const maxPlaces = 256;
/** Tools that are remembered to keep threads. */
const maxKeeping = 1_000;

/** Only decisions change it, and only through `emit` and `push` do they have consequences outside. */
export class World {
  readonly limits: Limits;
  readonly budgets: BudgetDefaults;
  readonly registry: TaskRegistry;
  readonly queue: SlotQueue;
  /** Whether a run that begins with this message fits into a mailbox now (M5). */
  readonly hasSpace: (prompt: Message) => boolean;
  /** Ids of the agents whose activations have threads now. */
  readonly threadHolders: () => readonly string[];
  /** Persistent agents with a thread and no run, the longest idle first. */
  readonly idle = new Set<Agent>();
  /** Runs that have a thread and need no place, since an earlier turn of the loop. */
  readonly resting = new Set<Run>();
  /** The same since this turn: a call that is refused at once waits for nothing. */
  readonly settling = new Set<Run>();
  /** Persistent agents that may be able to begin their next run. */
  readonly free = new Set<Agent>();
  /** What a run waits for has changed, or who waits for a slot: a run may have to give its own up. */
  areSlotsDue = false;
  /** Runs that begin without a thread. */
  readonly toBegin = new Set<Run>();
  /** Runs without a thread that are to end, by an interrupt or a clock. */
  readonly toEnd = new Set<Run>();
  /** Requests that wait for a thread, and whether there may be more threads. */
  threads: ThreadDemand = { missing: 0, canGrow: true, isAlwaysNeeded: false };
  /** Who waits for a thread has changed, or who may leave one. */
  areThreadsDue = false;
  /** Threads are allowed in the place of those that are held by calls which wait for children. */
  hasExtraThreads = false;
  /** Tools that keep threads, by agent spec: each is reported once. */
  readonly #keeping = new Set<string>();
  /** A task was refused over a deadlock, and the calls that wait for it do not know yet: nothing else is refused until then. */
  isRefusalOpen = false;
  /** Tasks are written down, and what follows from that waits until it is durable. */
  readonly isJournaled: boolean;
  /** What the journal had when it was opened, and what has ended since. */
  readonly found: FoundTasks;
  /** What waits until something is durable. */
  unwritten = 0;
  /** Why the journal cannot write; null while it can. */
  journalFailure: Failure | null = null;
  /** Settings of tasks that cannot be written down: each is reported once. */
  readonly #missing = new Set<string>();
  /** Nothing starts any more. */
  isClosed = false;
  /** Milliseconds of the clock that timers use, and of the calendar. */
  now = 0;
  wallTime = 0;
  effects = new EffectQueue();

  constructor(
    { limits, budgets }: Pick<World, 'limits' | 'budgets'>,
    kernel: Pick<World, 'hasSpace' | 'threadHolders'>,
    journal: JournalContents | null = null,
  ) {
    this.isJournaled = journal !== null;
    this.found = new FoundTasks(journal?.tasks);
    this.registry = new TaskRegistry(journal?.reserved.tasks);
    this.limits = limits;
    this.budgets = budgets;
    this.queue = new SlotQueue(limits);
    this.hasSpace = kernel.hasSpace;
    this.threadHolders = kernel.threadHolders;
  }

  /** True from the second time on that a tool of an agent spec is reported to keep its thread. */
  hasReportedLeaks(spec: string, tool: string): boolean {
    const key = `${spec} ${tool}`;
    if (this.#keeping.has(key) || this.#keeping.size >= maxKeeping) return true;
    this.#keeping.add(key);
    return false;
  }

  /** True from the second time on that tasks have such a setting. */
  hasReportedMissing(field: string): boolean {
    const isKnown = this.#missing.has(field);
    this.#missing.add(field);
    return isKnown;
  }

  push(effect: Effect): void {
    this.effects.push(effect);
  }

  /** What is to be written down, and what waits until that is durable. */
  write(record: TaskWrite, then: readonly AfterWrite[] = []): void {
    this.writeAll([record], then);
  }

  writeAll(records: readonly TaskWrite[], then: readonly AfterWrite[]): void {
    this.unwritten += then.length;
    this.push({ type: 'write', records, then });
  }

  emit<Type extends EventType>(
    event: Type,
    subject: EventSubject,
    payload: EventPayloads[Type],
  ): void {
    this.effects.push({ type: 'emit', event, subject, payload });
  }
}
