// Owns the view of the tree: living agents and waiting tasks as plain data, made on request.
import type { AgentEntry } from '../delegation/agent-entry.ts';
import type { Desk } from '../delegation/desk.ts';
import type { TaskEntry } from '../delegation/task-entry.ts';
import { noUsage, type RunPhase, type Usage } from '../outcome.ts';

export type TreeSnapshot = {
  /** Empty while the task waits: it has no agent yet. */
  readonly agentId: string;
  readonly taskId: string;
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  readonly status: 'queued' | 'running' | 'parked';
  readonly phase: RunPhase;
  readonly goal: string;
  readonly model: string;
  readonly turn: number;
  readonly tool: string | null;
  readonly elapsedMs: number;
  /** Own and below. */
  readonly usage: Usage;
  readonly children: readonly TreeSnapshot[];
};

export function snapshotTree(desk: Desk): readonly TreeSnapshot[] {
  const roots = [...desk.books.tasks.values()].filter((entry) => entry.origin.parent === null);
  return roots.map((entry) => snapshotOf(entry, desk.now()));
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
    name: plan.name,
    path: agent.path,
    depth: agent.depth,
    status: agent.cell.state.status === 'parked' ? 'parked' : 'running',
    phase: record.phase,
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
  const { parent } = entry.origin;
  return {
    agentId: '',
    taskId: entry.id,
    name: entry.plan?.name ?? 'agent',
    path: `${parent?.path ?? ''}/${entry.task.name ?? entry.id}`,
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
