// Owns how the view of the tree is made: living agents, waiting tasks and, on request, ended ones, from the registry.

import { noUsage } from '../base/outcome.ts';
import type { TreeSnapshot } from '../observe/tree.ts';
import { waitingPath } from '../tasks/completion/outcomes.ts';
import type { PersistentAgent } from '../tasks/persistent-agent.ts';
import type { Run } from '../tasks/run.ts';
import type { Ended } from '../tasks/task-history.ts';
import type { TaskRecord } from '../tasks/task-record.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';

export function snapshotTree(scheduler: TaskScheduler): readonly TreeSnapshot[] {
  return snapshot(scheduler, []);
}

/** The same with the ended tasks that are kept, each below the run that delegated it, in the order they ended (C44). */
export function snapshotWithEnded(scheduler: TaskScheduler): readonly TreeSnapshot[] {
  return snapshot(scheduler, [...scheduler.registry.history.all()]);
}

/** By the id of the task, or of the spawned agent, that each is shown below; null of a root. */
class Grouped<Item> {
  readonly #items = new Map<string | null, Item[]>();

  add(above: string | null, item: Item): void {
    const siblings = this.#items.get(above);
    if (siblings === undefined) this.#items.set(above, [item]);
    else siblings.push(item);
  }

  of(above: string | null): readonly Item[] {
    return this.#items.get(above) ?? [];
  }
}

function snapshot(scheduler: TaskScheduler, kept: readonly Ended[]): readonly TreeSnapshot[] {
  const now = scheduler.now();
  const { persistent, tasks } = scheduler.registry;
  const known = new Set(kept.map(({ outcome }) => outcome.taskId));
  const isShown = (id: string): boolean => known.has(id) || tasks.has(id) || persistent.has(id);
  const ended = new Grouped<Ended>();
  for (const each of kept) {
    // A root's own agent is shown only when it was spawned and has not ended.
    const above = each.parentTaskId ?? each.outcome.agent.id;
    ended.add(isShown(above) ? above : null, each);
  }
  const living = new Grouped<TaskRecord>();
  for (const entry of tasks.values()) {
    if (entry.persistentAgent === null) living.add(aboveOf(entry, isShown), entry);
  }
  const endedBelow = (id: string | null): readonly TreeSnapshot[] =>
    ended.of(id).map((each) => ofEnded(each, below(each.outcome.taskId)));
  const livingBelow = (id: string | null): readonly TreeSnapshot[] =>
    living.of(id).map((entry) => snapshotOf(entry, now, below(entry.id)));
  const below = (id: string): readonly TreeSnapshot[] => [...endedBelow(id), ...livingBelow(id)];
  const spawned = [...persistent.values()].map((agent) => {
    const ofRun = agent.run === null ? [] : below(agent.run.task.id);
    // It has ended runs of its own, and what they left, besides what is below the one that is on.
    return ofPersistent(agent, now, [...below(agent.id), ...ofRun]);
  });
  return [...endedBelow(null), ...spawned, ...livingBelow(null)];
}

/** The nearest of its ancestors that is shown: a background task may have outlived the others. */
function aboveOf(entry: TaskRecord, isShown: (id: string) => boolean): string | null {
  for (let at = entry.origin.parent; at !== null; at = at.parent) {
    if (isShown(at.task.id)) return at.task.id;
    if (!at.endsWithRun && isShown(at.id)) return at.id;
  }
  return null;
}

function ofEnded({ outcome, goal }: Ended, children: readonly TreeSnapshot[]): TreeSnapshot {
  const { agent, taskId, status, model, turns, durationMs, usage, partial } = outcome;
  return {
    agentId: agent.id,
    taskId,
    parentId: agent.parentId,
    name: agent.name,
    path: agent.path,
    depth: agent.depth,
    status,
    phase: partial?.phase ?? 'between_turns',
    isAnswering: false,
    goal,
    model,
    turn: turns,
    tool: null,
    elapsedMs: durationMs,
    usage: { ...usage.subtree },
    children,
  };
}

function ofPersistent(
  agent: PersistentAgent,
  now: number,
  below: readonly TreeSnapshot[],
): TreeSnapshot {
  const { run, spec, waiting } = agent;
  const children = [...below, ...[...waiting].map((entry) => ofWaiting(entry, now))];
  if (run !== null) return { ...ofAgent(run, now, children), usage: agent.usage };
  return {
    agentId: agent.id,
    taskId: '',
    parentId: null,
    name: spec.name,
    path: agent.path,
    depth: agent.depth,
    status: agent.isPassive ? 'passivated' : 'idle',
    phase: agent.hasStarted ? 'between_runs' : 'starting',
    isAnswering: false,
    goal: '',
    model: spec.modelId,
    turn: 0,
    tool: null,
    elapsedMs: 0,
    usage: { ...agent.usage },
    children,
  };
}

function snapshotOf(entry: TaskRecord, now: number, below: readonly TreeSnapshot[]): TreeSnapshot {
  return entry.run === null ? ofWaiting(entry, now) : ofAgent(entry.run, now, below);
}

function ofAgent(agent: Run, now: number, children: readonly TreeSnapshot[]): TreeSnapshot {
  const { record, spec, task } = agent;
  return {
    agentId: agent.id,
    taskId: task.id,
    parentId: agent.parent?.id ?? null,
    name: spec.name,
    path: agent.path,
    depth: agent.depth,
    status: agent.cell.state.status === 'parked' ? 'parked' : 'running',
    phase: agent.phase,
    isAnswering: record.isAnswering,
    goal: task.task.goal,
    model: record.model ?? spec.modelId,
    turn: record.turns,
    tool: record.currentTool,
    elapsedMs: now - agent.startedAt,
    usage: agent.subtreeUsage(),
    children,
  };
}

function ofWaiting(entry: TaskRecord, now: number): TreeSnapshot {
  return {
    agentId: entry.persistentAgent?.id ?? '',
    taskId: entry.id,
    parentId: entry.origin.parent?.id ?? null,
    name: entry.spec?.name ?? 'agent',
    path: waitingPath(entry),
    depth: entry.depth,
    status: 'queued',
    phase: 'queued',
    isAnswering: false,
    goal: entry.task.goal,
    model: entry.spec?.modelId ?? '',
    turn: 0,
    tool: null,
    elapsedMs: now - entry.acceptedAt,
    usage: noUsage,
    children: [],
  };
}
