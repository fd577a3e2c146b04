// Owns totals: usage, agents and files of everything, or of one branch with all that is and was below it (C45). Pure.

import { addUsage, noUsage, type Usage } from '../base/outcome.ts';
import type { Branch, RunBelow, TaskBelow } from '../tasks/branch.ts';
import type { PersistentAgent } from '../tasks/persistent-agent.ts';
import type { SlotOwner } from '../tasks/slot.ts';
import type { TaskScheduler } from '../tasks/task-scheduler.ts';

/** Agents, tasks, usage, cost and files so far; of one branch with everything below it, or of all. */
export type Totals = {
  /** Tokens, calls and cost so far. */
  readonly usage: Usage;
  /** Agents there are and were. */
  readonly agents: number;
  /** Agents that use a slot. */
  readonly live: number;
  /** Who waits for a slot. */
  readonly queued: number;
  /** Of all: those of what runs, and of the ended tasks that are still kept. */
  readonly filesTouched: readonly string[];
};

/** Of everything; `usage` and `agents` are counted elsewhere, over the supervisor's lifetime. */
export function totalsOfAll(
  scheduler: TaskScheduler,
  counted: Pick<Totals, 'usage' | 'agents'>,
): Totals {
  const { agents, history } = scheduler.registry;
  const files = new Set<string>();
  for (const { outcome } of history.all()) for (const file of outcome.filesTouched) files.add(file);
  for (const agent of agents.values()) for (const file of agent.allFilesTouched()) files.add(file);
  return { ...counted, live: scheduler.live, queued: scheduler.queued, filesTouched: [...files] };
}

/** Of one agent or task, by task id, agent id or path; null when it names none. */
export function totalsOfBranch(scheduler: TaskScheduler, id: string): Totals | null {
  const { registry } = scheduler;
  const persistent = registry.findPersistent(id);
  if (persistent !== null) return ofPersistent(persistent);
  const entry = registry.find(id);
  if (entry !== null) return ofTask(entry);
  const ended = registry.history.find(id);
  if (ended === null) return null;
  const { outcome, branch } = ended;
  const { filesTouched, usage } = outcome;
  if (branch === null) return { ...nothing, usage: { ...usage.own }, filesTouched };
  return {
    usage: addUsage(usage.own, branch.usage()),
    agents: 1 + branch.agents(),
    ...placesOf(branch),
    filesTouched: [...new Set([...filesTouched, ...(branch.files() ?? [])])],
  };
}

function ofPersistent(agent: PersistentAgent): Totals {
  const { run, waiting, branch } = agent;
  const below = run === null ? nothing : ofRun(run);
  const before = placesOf(branch);
  return {
    usage: { ...agent.usage },
    // The run's own agent is this one.
    agents: branch.agents() + Math.max(1, below.agents),
    live: before.live + (run === null ? slotsOf(agent) : below.live),
    queued: before.queued + waiting.size + below.queued,
    filesTouched: agent.filesTouched,
  };
}

function ofTask({ run }: TaskBelow): Totals {
  return run === null ? { ...nothing, queued: 1 } : ofRun(run);
}

function ofRun(agent: RunBelow): Totals {
  const below = placesOf(agent.branch);
  return {
    usage: agent.subtreeUsage(),
    agents: agent.subtreeAgents(),
    live: slotsOf(agent) + below.live,
    queued: (agent.slot === 'ready' ? 1 : 0) + below.queued,
    filesTouched: agent.allFilesTouched(),
  };
}

type Places = Pick<Totals, 'live' | 'queued'>;

/** Who is below an agent now. */
function placesOf({ children, left }: Branch): Places {
  const below: readonly Places[] = [...[...children].map(ofTask), ...[...left].map(placesOf)];
  return {
    live: below.reduce((total, { live }) => total + live, 0),
    queued: below.reduce((total, { queued }) => total + queued, 0),
  };
}

/** A parked agent uses no slot. */
function slotsOf({ slot }: SlotOwner): number {
  return slot === 'occupied' || slot === 'parking' ? 1 : 0;
}

const nothing: Totals = { usage: noUsage, agents: 0, live: 0, queued: 0, filesTouched: [] };
