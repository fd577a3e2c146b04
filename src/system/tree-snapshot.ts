// Owns how the view of the tree is made: living agents, waiting tasks and, on request, ended ones, from the books.
import type { AgentEntry } from '../delegation/agent-entry.ts';
import type { Ended } from '../delegation/archive.ts';
import type { Desk } from '../delegation/desk.ts';
import { waitingPath } from '../delegation/outcomes.ts';
import type { StandingAgent } from '../delegation/standing-agent.ts';
import type { TaskEntry } from '../delegation/task-entry.ts';
import type { TreeSnapshot } from '../observe/tree.ts';
import { noUsage } from '../outcome.ts';

export function snapshotTree(desk: Desk): readonly TreeSnapshot[] {
  const now = desk.now();
  const { standing, tasks } = desk.books;
  const spawned = [...standing.values()].map((agent) => ofStanding(agent, now));
  const roots = [...tasks.values()].filter(({ origin, home }) => {
    return origin.parent === null && home === null;
  });
  return [...spawned, ...roots.map((entry) => snapshotOf(entry, now))];
}

/** The same with the ended tasks that are kept, each below the run that delegated it, in the order they ended (C44). */
export function snapshotWithEnded(desk: Desk): readonly TreeSnapshot[] {
  const { archive, standing, tasks } = desk.books;
  const kept = [...archive.all()];
  const known = new Set(kept.map(({ outcome }) => outcome.taskId));
  const below = new Map<string | null, Ended[]>();
  for (const ended of kept) {
    const parent = parentOf(ended, (id) => known.has(id) || tasks.has(id) || standing.has(id));
    const siblings = below.get(parent) ?? [];
    siblings.push(ended);
    below.set(parent, siblings);
  }
  const endedBelow = (id: string | null): readonly TreeSnapshot[] =>
    (below.get(id) ?? []).map((ended) => ofEnded(ended, endedBelow(ended.outcome.taskId)));
  const withEnded = (node: TreeSnapshot): TreeSnapshot => ({
    ...node,
    children: [...endedBelow(node.taskId), ...node.children.map(withEnded)],
  });
  const roots = snapshotTree(desk).map((root) => {
    const { children, ...node } = withEnded(root);
    // A spawned agent has ended runs of its own, besides what is below the one that is on.
    return { ...node, children: [...endedBelow(node.agentId), ...children] };
  });
  return [...endedBelow(null), ...roots];
}

/** The id of the task, or of the spawned agent, that an ended task is shown below; null of a root. */
function parentOf(
  { parentTaskId, outcome }: Ended,
  isShown: (id: string) => boolean,
): string | null {
  // A root's own agent is shown only when it was spawned and lives.
  const above = parentTaskId ?? outcome.agent.id;
  return isShown(above) ? above : null;
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
    goal,
    model,
    turn: turns,
    tool: null,
    elapsedMs: durationMs,
    usage: usage.subtree,
    children,
  };
}

function ofStanding(agent: StandingAgent, now: number): TreeSnapshot {
  const { run, plan, waiting } = agent;
  const queued = [...waiting].map((entry) => ofWaiting(entry, now));
  if (run !== null) {
    const snapshot = ofAgent(run.task, run, now);
    return { ...snapshot, usage: agent.usage, children: [...snapshot.children, ...queued] };
  }
  return {
    agentId: agent.id,
    taskId: '',
    parentId: null,
    name: plan.name,
    path: agent.path,
    depth: agent.depth,
    status: agent.isPassive ? 'passive' : 'idle',
    phase: agent.hasStarted ? 'between_runs' : 'starting',
    goal: '',
    model: plan.modelId,
    turn: 0,
    tool: null,
    elapsedMs: 0,
    usage: agent.usage,
    children: queued,
  };
}

function snapshotOf(entry: TaskEntry, now: number): TreeSnapshot {
  return entry.state.status === 'started'
    ? ofAgent(entry, entry.state.agent, now)
    : ofWaiting(entry, now);
}

function ofAgent(entry: TaskEntry, agent: AgentEntry, now: number): TreeSnapshot {
  const { record, plan } = agent;
  return {
    agentId: agent.id,
    taskId: entry.id,
    parentId: agent.parent?.id ?? null,
    name: plan.name,
    path: agent.path,
    depth: agent.depth,
    status: agent.cell.state.status === 'parked' ? 'parked' : 'running',
    phase: agent.phase,
    goal: entry.task.goal,
    model: record.model ?? plan.modelId,
    turn: record.turns,
    tool: record.currentTool,
    elapsedMs: now - agent.startedAt,
    usage: agent.subtreeUsage(),
    children: [...agent.children].map((child) => snapshotOf(child, now)),
  };
}

function ofWaiting(entry: TaskEntry, now: number): TreeSnapshot {
  return {
    agentId: entry.home?.id ?? '',
    taskId: entry.id,
    parentId: entry.origin.parent?.id ?? null,
    name: entry.plan?.name ?? 'agent',
    path: waitingPath(entry),
    depth: entry.depth,
    status: 'queued',
    phase: 'queued',
    goal: entry.task.goal,
    model: entry.plan?.modelId ?? '',
    turn: 0,
    tool: null,
    elapsedMs: now - entry.acceptedAt,
    usage: noUsage,
    children: [],
  };
}
