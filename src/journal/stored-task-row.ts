// Owns how a row of the table of tasks is read: a task, or why it cannot be read. Pure.
import { outcomeStatuses } from '../base/outcome.ts';
import type { Row } from './driver.ts';
import type { Kept, StoredTask, TaskPlace } from './records.ts';
import { columns, sumOf, textOf } from './statements.ts';

const places = ['id', 'parent', 'place', 'agent', 'session', 'key', 'status'];

/** What `placeOf` reads, and the risk of a task. */
export const placeColumns = columns(places, ['background', 'tried', 'deaths']);

/** What `taskOf` reads. */
export const taskColumns = columns(
  [...places, 'spec', 'outcome'],
  ['background', 'accepted_at', 'ended_at', 'acknowledged_at', 'spec_sum', 'outcome_sum'],
);

/** A task as the row has it, whatever its sums say. */
export function storedTaskOf(row: Row): StoredTask {
  return {
    ...placeOf(row),
    acceptedAt: Number(row['accepted_at']),
    endedAt: numberOrNull(row['ended_at']),
    acknowledgedAt: numberOrNull(row['acknowledged_at']),
    spec: textOf(row['spec']) ?? '',
    outcome: textOf(row['outcome']),
  };
}

export function taskOf(row: Row): Kept<StoredTask> {
  const task = storedTaskOf(row);
  if (specSumOf(task) !== Number(row['spec_sum'])) {
    return { isDamaged: true, why: 'what it was asked cannot be read' };
  }
  if (outcomeSumOf(task) !== numberOrNull(row['outcome_sum'])) {
    return { isDamaged: true, why: 'its outcome cannot be read' };
  }
  return { isDamaged: false, value: task };
}

type Accepted = Omit<StoredTask, 'endedAt' | 'acknowledgedAt' | 'outcome' | 'status'>;

export function specSumOf({ spec, acceptedAt, ...task }: Accepted): number {
  const { taskId, parentId, place, agent, session, isBackground, idempotencyKey } = task;
  const where = [taskId, parentId, place, agent, session, isBackground ? 1 : 0] as const;
  return sumOf(spec, ...where, idempotencyKey, acceptedAt);
}

type Ended = Pick<StoredTask, 'taskId' | 'status' | 'endedAt' | 'outcome'>;

/** Null of a task that has not ended. */
export function outcomeSumOf({ taskId, status, endedAt, outcome }: Ended): number | null {
  return outcome === null ? null : sumOf(outcome, taskId, status, endedAt);
}

/** Where it is found, and how it has ended. */
export function placeOf(row: Row): Omit<TaskPlace, 'isSuspect' | 'deaths'> {
  return {
    taskId: textOf(row['id']) ?? '',
    parentId: textOf(row['parent']),
    place: textOf(row['place']),
    agent: textOf(row['agent']),
    session: textOf(row['session']),
    isBackground: Number(row['background']) === 1,
    idempotencyKey: textOf(row['key']),
    status: outcomeStatuses.find((status) => status === textOf(row['status'])) ?? null,
  };
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
