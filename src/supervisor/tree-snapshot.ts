// Owns how the view of the tree is made: living agents, waiting tasks and, on request, ended ones, from the registry.

import { noUsage } from '../base/outcome.ts';
import type { TreeSnapshot } from '../observe/tree.ts';
import { runUsage } from '../tasks/branch.ts';
import { waitingPath } from '../tasks/completion/outcomes.ts';
import { isPassive } from '../tasks/decide/begin.ts';
import { agentUsage } from '../tasks/persistent-agents.ts';
import type { Agent, Run, TaskRecord } from '../tasks/state.ts';
import type { Ended } from '../tasks/task-history.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';
import { statusOf } from '../tasks/waits.ts';

/** By the id of the task, or of the persistent agent, that each is shown below; null of a root. */
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

/**
 * Roots first; with `showsEnded` the ended tasks that are kept too, each below the run that delegated it, in the order
 * they ended (C44).
 */
export function snapshotTree(
  scheduler: TaskScheduler,
  showsEnded: boolean,
): readonly TreeSnapshot[] {
  const now = scheduler.now();
  const { agents, tasks, history } = scheduler.registry;
  const kept = showsEnded ? [...history.all()] : [];
  const known = new Set(kept.map(({ outcome }) => outcome.taskId));
  const isShown = (id: string): boolean =>
    known.has(id) || tasks.has(id) || agents.get(id)?.lifetime === 'persistent';
  const ended = new Grouped<Ended>();
  for (const each of kept) {
    // A root's own agent is shown only when it was spawned and has not ended.
    const above = each.parentTaskId ?? each.outcome.agent.id;
    ended.add(isShown(above) ? above : null, each);
  }
  const living = new Grouped<TaskRecord>();
  for (const entry of tasks.values()) {
    if (entry.agent?.lifetime !== 'persistent') living.add(aboveOf(entry, isShown), entry);
  }
  const endedBelow = (id: string | null): readonly TreeSnapshot[] =>
    ended.of(id).map((each) => ofEnded(each, below(each.outcome.taskId)));
  const livingBelow = (id: string | null): readonly TreeSnapshot[] =>
    living
      .of(id)
      .map((task) =>
        task.run === null ? ofWaiting(task, now) : ofRun(task.run, now, below(task.id)),
      );
  const below = (id: string): readonly TreeSnapshot[] => [...endedBelow(id), ...livingBelow(id)];
  const spawned = scheduler.registry.persistent().map((agent) => {
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
    if (at.agent.lifetime === 'persistent' && isShown(at.id)) return at.id;
  }
  return null;
}

function ofEnded({ outcome, goal }: Ended, children: readonly TreeSnapshot[]): TreeSnapshot {
  const { agent, taskId, status, model, turns, durationMs, usage, partial } = outcome;
  const { id: agentId, ...place } = agent;
  return {
    ...place,
    agentId,
    taskId,
    status,
    waitingMs: 0,
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

function ofPersistent(agent: Agent, now: number, below: readonly TreeSnapshot[]): TreeSnapshot {
  const { run, spec, queue } = agent;
  const children = [...below, ...[...queue].map((task) => ofWaiting(task, now))];
  const usage = { ...agentUsage(agent) };
  if (run !== null) return { ...ofRun(run, now, children), usage };
  return {
    agentId: agent.id,
    taskId: '',
    parentId: null,
    name: spec.name,
    path: agent.path,
    depth: agent.depth,
    status: isPassive(agent) ? 'passivated' : 'idle',
    waitingMs: 0,
    phase: agent.hasStarted ? 'between_runs' : 'starting',
    isAnswering: false,
    goal: '',
    model: spec.modelId,
    turn: 0,
    tool: null,
    elapsedMs: 0,
    usage,
    children,
  };
}

function ofRun(run: Run, now: number, children: readonly TreeSnapshot[]): TreeSnapshot {
  const { record, spec, task } = run;
  return {
    agentId: run.id,
    taskId: task.id,
    parentId: run.parent?.id ?? null,
    name: spec.name,
    path: run.path,
    depth: run.depth,
    status: statusOf(run),
    waitingMs: waitingMs(run, now),
    phase: run.phase,
    isAnswering: record.isAnswering,
    goal: task.task.goal,
    model: record.model ?? spec.modelId,
    turn: record.turns,
    tool: record.currentTool,
    elapsedMs: now - run.startedAt,
    usage: runUsage(run),
    children,
  };
}

function waitingMs(run: Run, now: number): number {
  switch (statusOf(run)) {
    case 'ready':
      return now - run.thread.readyAt;
    case 'waiting':
      return now - run.record.phaseAt;
    default:
      return 0;
  }
}

function ofWaiting(task: TaskRecord, now: number): TreeSnapshot {
  return {
    agentId: task.agent?.id ?? '',
    taskId: task.id,
    parentId: task.origin.parent?.id ?? null,
    name: task.spec?.name ?? 'agent',
    path: waitingPath(task),
    depth: task.depth,
    status: 'queued',
    waitingMs: now - task.acceptedAt,
    phase: 'queued',
    isAnswering: false,
    goal: task.task.goal,
    model: task.spec?.modelId ?? '',
    turn: 0,
    tool: null,
    elapsedMs: now - task.acceptedAt,
    usage: noUsage,
    children: [],
  };
}
