// Owns the count of a job, kept from its events alone: tasks by status, tokens, cost. Pure.
import type { EventType, TroupeEvent } from '../events/event-types.ts';

type EndStatus = TroupeEvent<'task_completed'>['outcome']['status'];

/** What a job came to so far; tasks are root tasks but for those `below`, tokens and cost are of everything below them too. */
export type Tally = {
  readonly queued: number;
  readonly running: number;
  /** Delegated tasks so far, at any depth, ended or not. */
  readonly delegated: number;
  readonly ended: Readonly<Record<EndStatus, number>>;
  /** The ends of delegated tasks, at any depth. */
  readonly below: Readonly<Record<EndStatus, number>>;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** True as soon as one count was not the provider's own. */
  readonly isEstimated: boolean;
  /** Null as soon as one call's price is unknown. */
  readonly costUsd: number | null;
};

const noEnds = { completed: 0, failed: 0, interrupted: 0, timeout: 0 } as const;

export const emptyTally: Tally = {
  queued: 0,
  running: 0,
  delegated: 0,
  ended: noEnds,
  below: noEnds,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  isEstimated: false,
  costUsd: 0,
};

/** The events that change a tally; a reader needs no others. */
export const tallied = [
  'task_queued',
  'task_recovered',
  'task_started',
  'task_completed',
  'tool_started',
  'usage_recorded',
] as const satisfies readonly EventType[];

/** The tally after one more event; events it does not count leave it as it is. */
export function count(tally: Tally, event: TroupeEvent): Tally {
  switch (event.type) {
    case 'task_queued':
      return isRoot(event)
        ? { ...tally, queued: tally.queued + 1 }
        : { ...tally, delegated: tally.delegated + 1 };
    case 'task_recovered':
      if (!isRoot(event)) return { ...tally, delegated: tally.delegated + 1 };
      return event.isStarted
        ? { ...tally, running: tally.running + 1 }
        : { ...tally, queued: tally.queued + 1 };
    case 'task_started':
      return isRoot(event)
        ? { ...tally, queued: tally.queued - 1, running: tally.running + 1 }
        : tally;
    case 'task_completed':
      return isRoot(event) ? countEnd(tally, event) : countBelow(tally, event);
    case 'tool_started':
      return { ...tally, toolCalls: tally.toolCalls + 1 };
    case 'usage_recorded':
      return countUsage(tally, event);
    default:
      return tally;
  }
}

/** Root tasks that have an outcome. */
export function endedOf({ ended }: Tally): number {
  return sum(ended);
}

/** Delegated tasks that have an outcome. */
export function belowOf({ below }: Tally): number {
  return sum(below);
}

function sum({ completed, failed, interrupted, timeout }: Tally['ended']): number {
  return completed + failed + interrupted + timeout;
}

function isRoot(event: TroupeEvent): boolean {
  return event.parentId === undefined;
}

function countEnd(tally: Tally, event: TroupeEvent<'task_completed'>): Tally {
  const { status, partial } = event.outcome;
  // A task that never started leaves the queue when it ends; one that could not be recovered was in none.
  const from =
    partial?.phase === 'queued'
      ? { queued: Math.max(0, tally.queued - 1) }
      : { running: tally.running - 1 };
  return { ...tally, ...from, ended: { ...tally.ended, [status]: tally.ended[status] + 1 } };
}

function countBelow(tally: Tally, { outcome }: TroupeEvent<'task_completed'>): Tally {
  const { status } = outcome;
  return { ...tally, below: { ...tally.below, [status]: tally.below[status] + 1 } };
}

function countUsage(tally: Tally, event: TroupeEvent<'usage_recorded'>): Tally {
  const { usage, isEstimated } = event;
  const { costUsd } = tally;
  return {
    ...tally,
    inputTokens: tally.inputTokens + usage.inputTokens,
    outputTokens: tally.outputTokens + usage.outputTokens,
    isEstimated: tally.isEstimated || isEstimated,
    costUsd: costUsd === null || usage.costUsd === null ? null : costUsd + usage.costUsd,
  };
}
