// Owns totals: usage, agents and files of everything, or of one branch with all that is and was below it (C45). Pure.

import { addUsage, noUsage, type Usage } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import { agentsOf, filesOf, leftOf, runFiles, runUsage, usageOf } from '../tasks/branch.ts';
import { agentFiles, agentUsage } from '../tasks/persistent-agents.ts';
import type { Agent, Branch, Run, TaskRecord } from '../tasks/state.ts';
import type { Found } from '../tasks/task-registry.ts';
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

/** Counts usage and agents over the lifetime of a supervisor. */
export function countedIn(events: Pick<EventBus, 'on'>): () => Pick<Totals, 'usage' | 'agents'> {
  let usage = noUsage;
  let agents = 0;
  events.on('usage_recorded', (recorded) => {
    usage = addUsage(usage, recorded.usage);
  });
  events.on('agent_started', () => {
    agents += 1;
  });
  return () => ({ usage, agents });
}

/** Of everything; `usage` and `agents` are counted elsewhere, over the supervisor's lifetime. */
export function totalsOfAll(
  scheduler: TaskScheduler,
  counted: Pick<Totals, 'usage' | 'agents'>,
): Totals {
  const { history } = scheduler.registry;
  const files = new Set<string>();
  for (const { outcome } of history.all()) for (const file of outcome.filesTouched) files.add(file);
  for (const run of scheduler.registry.runs()) for (const file of runFiles(run)) files.add(file);
  return { ...counted, live: scheduler.live, queued: scheduler.queued, filesTouched: [...files] };
}

/** Of one agent or task, with all that is and was below it. */
export function totalsOfBranch(found: Found): Totals {
  if (found.type === 'agent') return ofPersistent(found.agent);
  if (found.type === 'task') return ofTask(found.task);
  const { outcome, branch } = found.ended;
  const { filesTouched, usage } = outcome;
  if (branch === null) return { ...nothing, usage: { ...usage.own }, filesTouched };
  return {
    usage: addUsage(usage.own, usageOf(branch)),
    agents: 1 + agentsOf(branch),
    ...placesOf(branch),
    filesTouched: [...new Set([...filesTouched, ...(filesOf(branch) ?? [])])],
  };
}

function ofPersistent(agent: Agent): Totals {
  const { run, queue, branch } = agent;
  const below = run === null ? nothing : ofRun(run);
  const before = placesOf(branch);
  return {
    usage: { ...agentUsage(agent) },
    // The run's own agent is this one.
    agents: agentsOf(branch) + Math.max(1, below.agents),
    live: before.live + (run === null ? slotsOf(agent) : below.live),
    queued: before.queued + queue.size + below.queued,
    filesTouched: agentFiles(agent),
  };
}

function ofTask({ run }: TaskRecord): Totals {
  return run === null ? { ...nothing, queued: 1 } : ofRun(run);
}

function ofRun(run: Run): Totals {
  const { agent, branch } = run;
  const below = placesOf(branch);
  return {
    usage: runUsage(run),
    agents: 1 + agentsOf(branch),
    live: slotsOf(agent) + below.live,
    queued: (agent.isReady ? 1 : 0) + below.queued,
    filesTouched: runFiles(run),
  };
}

type Places = Pick<Totals, 'live' | 'queued'>;

/** Who is below an agent now. */
function placesOf(branch: Branch): Places {
  const below: readonly Places[] = [
    ...[...branch.children].map(ofTask),
    ...[...leftOf(branch)].map(placesOf),
  ];
  return {
    live: below.reduce((total, { live }) => total + live, 0),
    queued: below.reduce((total, { queued }) => total + queued, 0),
  };
}

/** A parked agent uses no slot. */
function slotsOf({ isLive }: Agent): number {
  return isLive ? 1 : 0;
}

const nothing: Totals = { usage: noUsage, agents: 0, live: 0, queued: 0, filesTouched: [] };
