// Owns the registry: unfinished tasks, live agents, what is kept of the ended ones; one entry and one end each.
import { repair, runEndedFirst } from '../agent/history-repair.ts';
import type { Clock, ProcessRef } from '../base/clock.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { TaskBelow } from './branch.ts';
import { reportFault } from './completion/fault-report.ts';
import type { PersistentAgent } from './persistent-agent.ts';
import { type Run, sessionOf } from './run.ts';
import type { SteeringQueue } from './steering-queue.ts';
import type { Task } from './task.ts';
import { TaskHistory } from './task-history.ts';
import type { TaskPause } from './task-pause.ts';
import { type TaskOrigin, TaskRecord } from './task-record.ts';

export type TaskRegistryOptions = {
  readonly clock: Clock;
  /** Each unfinished task keeps the process alive through it. */
  readonly processRef: ProcessRef;
  readonly events: EventBus;
  readonly steering: Pick<SteeringQueue, 'ended'>;
  readonly pauses: Pick<TaskPause, 'ended'>;
};

export class TaskRegistry {
  readonly history = new TaskHistory();
  /** Unfinished tasks by id, in the order they were accepted. */
  readonly tasks = new Map<string, TaskRecord>();
  /** Agents that perform a task, by id. */
  readonly agents = new Map<string, Run>();
  /** Live spawned agents, by id; one that performs a task is among `agents` too. */
  readonly persistent = new Map<string, PersistentAgent>();
  readonly #options: TaskRegistryOptions;
  readonly #drained: (() => void)[] = [];
  #lastTask = 0;

  constructor(options: TaskRegistryOptions) {
    this.#options = options;
  }

  /** Puts an accepted task on the registry. */
  enter(
    task: Task,
    origin: TaskOrigin,
    place: {
      readonly order: number;
      readonly waiting: number;
      readonly persistentAgent?: PersistentAgent;
    },
  ): TaskRecord {
    const { clock, processRef, events } = this.#options;
    this.#lastTask += 1;
    const entry = new TaskRecord(`t${this.#lastTask}`, task, {
      origin,
      order: place.order,
      acceptedAt: clock.now(),
      persistentAgent: place.persistentAgent ?? null,
    });
    processRef.enter();
    this.tasks.set(entry.id, entry);
    origin.parent?.branch.children.add(entry);
    const { goal } = task;
    const { index, width } = origin;
    const named = nameOf(task);
    const payload = { goal, position: place.waiting, index, width };
    events.emit(
      'task_queued',
      subjectOf(entry),
      named === undefined ? payload : { ...payload, name: named },
    );
    return entry;
  }

  /** Takes a task off the registry with its one outcome; does nothing when it has one (O2). */
  end(taskId: string, outcome: Outcome): void {
    const entry = this.tasks.get(taskId);
    if (entry === undefined) return;
    const { events, processRef, steering, pauses } = this.#options;
    steering.ended(entry);
    pauses.ended(entry);
    const { run } = entry;
    run?.branch.over();
    (entry.origin.parent ?? entry.persistentAgent)?.branch.absorb(entry);
    this.tasks.delete(entry.id);
    // A run that was cut in the middle of a turn leaves no call without an answer (S5).
    const messages = repair(run?.record.messages ?? [], runEndedFirst);
    this.history.keep({
      outcome,
      messages,
      begins: run?.record.begins ?? 0,
      goal: entry.task.goal,
      parentTaskId: entry.origin.parent?.task.id ?? null,
      branch: run?.branch ?? null,
    });
    const subject = run?.subject ?? subjectOf(entry);
    reportFault(events, subject, outcome);
    events.emit('task_completed', subject, { outcome });
    entry.endedSeq = events.lastSeq;
    entry.end(outcome);
    processRef.leave();
    if (this.tasks.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** The entries of unfinished tasks. */
  entriesOf(tasks: Iterable<TaskBelow>): readonly TaskRecord[] {
    const entries: TaskRecord[] = [];
    for (const { id } of tasks) {
      const entry = this.tasks.get(id);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  /** An unfinished task by its id, or by its agent's id or path. */
  find(idOrPath: string): TaskRecord | null {
    const entry = this.tasks.get(idOrPath);
    if (entry !== undefined) return entry;
    const run = this.agents.get(idOrPath) ?? this.#runAt(idOrPath);
    return run === null ? null : (this.tasks.get(run.task.id) ?? null);
  }

  #runAt(path: string): Run | null {
    for (const agent of this.agents.values()) if (agent.path === path) return agent;
    return null;
  }

  /** A live spawned agent by its id or path. */
  findPersistent(idOrPath: string): PersistentAgent | null {
    const known = this.persistent.get(idOrPath);
    if (known !== undefined) return known;
    for (const agent of this.persistent.values()) if (agent.path === idOrPath) return agent;
    return null;
  }

  /** Resolves when no task is unfinished. */
  async drain(): Promise<void> {
    if (this.tasks.size === 0) return;
    const drained = new Promise<void>((resolve) => {
      this.#drained.push(resolve);
    });
    await this.#options.processRef.during(drained);
  }
}

function nameOf({ name, agent }: Task): string | undefined {
  return name ?? (typeof agent === 'object' ? agent.name : agent);
}

/** Whom the events of a task are about while it has no agent. */
function subjectOf(entry: TaskRecord): EventSubject {
  const { parent } = entry.origin;
  const subject = {
    ...entry.persistentAgent?.subject,
    ...sessionOf(entry),
    taskId: entry.id,
    depth: entry.depth,
  };
  return parent === null ? subject : { ...subject, parentId: parent.id };
}
