// Owns how a row of the table of tasks is read: a task, or why it cannot be read. Pure.
import { outcomeStatuses } from '../base/outcome.ts';
import type { Row } from './driver.ts';
import type { Kept, StoredTask, TaskPlace } from './records.ts';
import { sumOf } from './statements.ts';

export function taskOf(row: Row): Kept<StoredTask> {
  const { spec, spec_sum: specSum, outcome, outcome_sum: outcomeSum } = row;
  if (sumOf(String(spec)) !== Number(specSum)) {
    return { isDamaged: true, why: 'what it was asked cannot be read' };
  }
  if (outcome !== null && sumOf(String(outcome)) !== Number(outcomeSum)) {
    return { isDamaged: true, why: 'its outcome cannot be read' };
  }
  const value: StoredTask = {
    ...placeOf(row),
    acceptedAt: Number(row['accepted_at']),
    endedAt: numberOrNull(row['ended_at']),
    acknowledgedAt: numberOrNull(row['acknowledged_at']),
    spec: String(spec),
    outcome: textOrNull(outcome),
  };
  return { isDamaged: false, value };
}

/** Where it is found, and how it has ended. */
export function placeOf(row: Row): Omit<TaskPlace, 'isSuspect' | 'deaths'> {
  return {
    taskId: String(row['id']),
    parentId: textOrNull(row['parent']),
    place: textOrNull(row['place']),
    agent: textOrNull(row['agent']),
    session: textOrNull(row['session']),
    isBackground: Number(row['background']) === 1,
    idempotencyKey: textOrNull(row['key']),
    status: outcomeStatuses.find((status) => status === row['status']) ?? null,
  };
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
