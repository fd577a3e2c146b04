// Owns the registry: unfinished tasks, live agents, what is kept of the ended ones; one entry and one end each.
import { repair } from '../agent/history-repair.ts';
import type { Clock, ProcessRef } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import { absorb } from './branch.ts';
import { reportFault } from './completion/fault-report.ts';
import {
  type Agent,
  type Branch,
  type Run,
  subjectOf,
  type TaskOrigin,
  TaskRecord,
} from './state.ts';
import type { SteeringQueue } from './steering-queue.ts';
import type { Task } from './task.ts';
import { type Ended, TaskHistory } from './task-history.ts';
import type { TaskPause } from './task-pause.ts';

export type TaskRegistryOptions = {
  readonly clock: Clock;
  /** Each unfinished task keeps the process alive through it. */
  readonly processRef: ProcessRef;
  readonly events: EventBus;
  readonly steering: Pick<SteeringQueue, 'ended'>;
  readonly pauses: Pick<TaskPause, 'ended'>;
};

/** What an id or a path names. */
export type Found =
  | { readonly type: 'agent'; readonly agent: Agent }
  | { readonly type: 'task'; readonly task: TaskRecord }
  | { readonly type: 'ended'; readonly ended: Ended };

export class TaskRegistry {
  readonly history = new TaskHistory();
  /** Unfinished tasks by id, in the order they were accepted. */
  readonly tasks = new Map<string, TaskRecord>();
  /** Agents that have an actor, by id. */
  readonly agents = new Map<string, Agent>();
  readonly #options: TaskRegistryOptions;
  readonly #drained: (() => void)[] = [];
  #lastTask = 0;

  constructor(options: TaskRegistryOptions) {
    this.#options = options;
  }

  /** Puts an accepted task on the registry; `waiting` is how many wait for a slot, or for the agent that is asked. */
  enter(
    task: Task,
    origin: TaskOrigin,
    { waiting, agent = null }: { readonly waiting: number; readonly agent?: Agent | null },
  ): TaskRecord {
    const { clock, processRef, events } = this.#options;
    this.#lastTask += 1;
    const id = `t${this.#lastTask}`;
    const record = new TaskRecord({ id, task, origin, acceptedAt: clock.now(), agent });
    processRef.enter();
    this.tasks.set(id, record);
    origin.parent?.branch.children.add(record);
    const { goal } = task;
    const { index, width } = origin;
    const named = nameOf(task);
    const payload = { goal, position: waiting, index, width };
    events.emit(
      'task_queued',
      subjectOf(record),
      named === undefined ? payload : { ...payload, name: named },
    );
    return record;
  }

  /** Takes a task off the registry with its one outcome; does nothing when it has one (O2). */
  end(task: TaskRecord, outcome: Outcome): void {
    if (task.isEnded) return;
    const { events, processRef, steering, pauses } = this.#options;
    steering.ended(task);
    pauses.ended(task);
    const { run } = task;
    const { parent } = task.origin;
    if (run !== null) run.branch.isOver = true;
    const above = branchAbove(task);
    if (above !== null) absorb(above, task);
    this.tasks.delete(task.id);
    // A run that was cut in the middle of a turn leaves no call without an answer (S5).
    const messages = repair(run?.record.messages ?? []);
    this.history.keep({
      outcome,
      messages,
      begins: run?.record.begins ?? 0,
      goal: task.task.goal,
      parentTaskId: parent?.task.id ?? null,
      branch: run?.branch ?? null,
    });
    const subject = run?.subject ?? subjectOf(task);
    reportFault(events, subject, outcome);
    events.emit('task_completed', subject, { outcome });
    task.endedSeq = events.lastSeq;
    task.end(outcome);
    processRef.leave();
    if (this.tasks.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** The runs that are on. */
  *runs(): Iterable<Run> {
    for (const { run } of this.agents.values()) if (run !== null) yield run;
  }

  /** The run of the agent of this id; null when it has none. */
  runOf(agentId: string): Run | null {
    return this.agents.get(agentId)?.run ?? null;
  }

  persistent(): readonly Agent[] {
    return [...this.agents.values()].filter(({ lifetime }) => lifetime === 'persistent');
  }

  /** What a task id, an agent id or a path names. Throws `unknown_task`. */
  lookup(idOrPath: string): Found {
    const found = this.find(idOrPath);
    if (found !== null) return found;
    throw new TroupeError('unknown_task', `there is no task or agent ${describe(idOrPath)}`);
  }

  /** The same; null for what names neither a persistent agent nor a task that is unfinished or kept. */
  find(idOrPath: string): Found | null {
    const task = this.tasks.get(idOrPath);
    if (task !== undefined) return { type: 'task', task };
    const agent = this.agents.get(idOrPath) ?? this.#agentAt(idOrPath);
    if (agent?.lifetime === 'persistent') return { type: 'agent', agent };
    const run = agent?.run ?? null;
    if (run !== null) return { type: 'task', task: run.task };
    const ended = this.history.find(idOrPath);
    return ended === null ? null : { type: 'ended', ended };
  }

  #agentAt(path: string): Agent | null {
    let found: Agent | null = null;
    for (const agent of this.agents.values()) {
      if (agent.path !== path) continue;
      if (agent.lifetime === 'persistent') return agent;
      found ??= agent;
    }
    return found;
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

/** Where a task is counted once it has ended: below the run that asked for it, or in the persistent agent that was asked. */
function branchAbove({ origin: { parent }, agent }: TaskRecord): Branch | null {
  if (parent !== null) return parent.branch;
  return agent?.lifetime === 'persistent' ? agent.branch : null;
}

function nameOf({ name, agent }: Task): string | undefined {
  return name ?? (typeof agent === 'object' ? agent.name : agent);
}
