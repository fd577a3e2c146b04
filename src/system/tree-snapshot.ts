// Owns the view of the tree: living agents and waiting tasks as plain data, made on request.
import type { AgentEntry } from '../delegation/agent-entry.ts';
import type { Desk } from '../delegation/desk.ts';
import { waitingPath } from '../delegation/outcomes.ts';
import type { StandingAgent } from '../delegation/standing-agent.ts';
import type { TaskEntry } from '../delegation/task-entry.ts';
import { noUsage, type RunPhase, type Usage } from '../outcome.ts';

export type TreeSnapshot = {
  /** Empty while a task waits for an agent of its own. */
  readonly agentId: string;
  /** Empty while a spawned agent has no run. */
  readonly taskId: string;
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  readonly status: 'queued' | 'running' | 'parked' | 'idle';
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
  const now = desk.now();
  const { standing, tasks } = desk.books;
  const spawned = [...standing.values()].map((agent) => ofStanding(agent, now));
  const roots = [...tasks.values()].filter(({ origin, home }) => {
    return origin.parent === null && home === null;
  });
  return [...spawned, ...roots.map((entry) => snapshotOf(entry, now))];
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
    name: plan.name,
    path: agent.path,
    depth: agent.depth,
    status: 'idle',
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
  return {
    agentId: entry.home?.id ?? '',
    taskId: entry.id,
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
