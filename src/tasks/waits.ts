// Owns what the open calls of a run wait for, and so whether it is counted as live and its thread could go to another (V7, W1).
// Pure.
import type { CellState } from '../actor/cell-state.ts';
import type { RunRecord } from '../agent/run/record.ts';
import { hasHooksAfterRun } from '../agent/run/saved-run.ts';
import type { RunPhase } from '../base/outcome.ts';
import type { WorkerSpec } from '../protocol/worker-spec.ts';
import type { OpenCalls } from './open-calls.ts';

/** What is read of a run. */
type Waits = {
  readonly record: RunRecord;
  readonly calls: OpenCalls;
  readonly cell: {
    readonly state: CellState;
    readonly isInReceive: boolean;
    readonly isReceiving: boolean;
  };
  readonly agent: {
    readonly lifetime: 'task' | 'persistent';
    readonly isParked: boolean;
    readonly isReady: boolean;
  };
  readonly spec: { readonly shared: Pick<WorkerSpec, 'hooks'> };
};

type PhaseFacts = Pick<Waits, 'record' | 'calls'> & {
  readonly branch: { readonly children: { readonly size: number } };
};

/** Open calls that wait for children, or for what else the supervisor ends. */
export function waitingCalls({ record, calls }: Waits): readonly string[] {
  return [...record.openCalls.keys()].filter((id) => calls.isWaiting(id));
}

/** Every open call waits for what the supervisor ends. */
export function onlyWaits(run: Waits): boolean {
  const { size } = run.record.openCalls;
  return size > 0 && waitingCalls(run).length === size;
}

/** A call of the run waits for its children, or all of them for what the supervisor ends: it needs no place (V7). */
export function needsNoPlace(run: Waits): boolean {
  return run.calls.areChildrenDue || onlyWaits(run);
}

/**
 * `ready`: the run has what it waits for but a thread, or a place. `waiting`: all that is open of it is outside its thread,
 * whether or not it has one (W1). `running`: its code runs.
 */
export type RunStatus = 'ready' | 'running' | 'waiting';

export function statusOf(run: Waits): RunStatus {
  const { agent, cell } = run;
  if (agent.isParked) return agent.isReady ? 'ready' : 'waiting';
  if (cell.state.status === 'starting' || cell.state.status === 'activating') return 'ready';
  return isOutside(run) || onlyWaits(run) ? 'waiting' : 'running';
}

/** What its code does, or what it waits for. */
export function phaseOf({ record, calls, branch }: PhaseFacts): RunPhase {
  const { phase } = record;
  if (phase !== 'in_tool') return calls.isOutside(null) ? 'in_hook' : phase;
  if (calls.has('approval')) return 'waiting_for_approval';
  // A child in the background is nothing that it waits for.
  if (branch.children.size > 0) return 'waiting_for_child';
  return calls.isSuspended ? 'waiting_for_answer' : phase;
}

/** The run may leave its thread, as far as is known here (W1). */
export function isParkable(run: Waits): boolean {
  const { status } = run.cell.state;
  return (status === 'running' || status === 'paused') && isOutside(run);
}

/** Nothing of the run is open in its thread. */
function isOutside(run: Waits): boolean {
  const { record, calls } = run;
  switch (record.phase) {
    case 'waiting_for_model':
    case 'paused':
      return true;
    case 'in_tool':
      return areOutside([...record.openCalls.keys()], run);
    default:
      return calls.isOutside(null);
  }
}

/** What is approved, or let go by its hook, begins at once: beside other open calls it needs the thread. */
function areOutside(ids: readonly string[], { calls }: Waits): boolean {
  const [first, ...others] = ids;
  if (first === undefined) return false;
  if (others.length === 0) return calls.isOutside(first);
  return ids.every((id) => calls.isOpen('tool', id));
}

/**
 * A run without a thread that ends by itself once it is interrupted (W6): one that its model, or its pause, alone keeps, and
 * one that has hooks after the run, for which it gets a thread.
 */
export function endsByItself({ agent, cell, record, spec }: Waits): boolean {
  if (record.end !== null) return false;
  const type = record.saved.step?.type;
  if (agent.isParked && (type === 'asking' || type === 'paused')) return true;
  // It may be on its way to a thread, and has not been handed over.
  const isWithout = cell.isInReceive && !cell.isReceiving;
  return isWithout && agent.lifetime === 'task' && hasHooksAfterRun(spec.shared);
}

/** It left its thread with calls or hooks open that the host performs. */
export function waitsForCalls({ saved: { step } }: RunRecord): boolean {
  switch (step?.type) {
    case 'in_tools':
    case 'before_run':
    case 'before_turn':
    case 'answered':
      return true;
    default:
      return false;
  }
}

/** It keeps its thread and can do nothing with it: every open call waits for children, one in its thread. */
export function isStuck(run: Waits): boolean {
  if (run.agent.isParked || run.record.phase !== 'in_tool') return false;
  return hasThreadCall(run) && onlyWaits(run);
}

function hasThreadCall({ record: { openCalls }, calls }: Waits): boolean {
  for (const [id, { where }] of openCalls) {
    if (where === 'thread' && !calls.isOutside(id)) return true;
  }
  return false;
}
