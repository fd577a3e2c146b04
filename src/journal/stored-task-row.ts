// Owns how a row of the table of tasks is read: a task, or why it cannot be read. Pure.
import { type OutcomeStatus, outcomeStatuses } from '../base/outcome.ts';
import type { Row } from './driver.ts';
import type { Kept, StoredTask } from './records.ts';
import { sumOf } from './statements.ts';

export function taskOf(row: Row): Kept<StoredTask> {
  const { id, spec, spec_sum: specSum, outcome, outcome_sum: outcomeSum } = row;
  if (sumOf(String(spec)) !== Number(specSum)) {
    return { isDamaged: true, why: 'what it was asked cannot be read' };
  }
  if (outcome !== null && sumOf(String(outcome)) !== Number(outcomeSum)) {
    return { isDamaged: true, why: 'its outcome cannot be read' };
  }
  const value: StoredTask = {
    taskId: String(id),
    parentId: textOrNull(row['parent']),
    place: textOrNull(row['place']),
    agent: textOrNull(row['agent']),
    idempotencyKey: textOrNull(row['key']),
    acceptedAt: Number(row['accepted_at']),
    endedAt: numberOrNull(row['ended_at']),
    acknowledgedAt: numberOrNull(row['acknowledged_at']),
    spec: String(spec),
    outcome: textOrNull(outcome),
    status: statusOf(row['status']),
  };
  return { isDamaged: false, value };
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function statusOf(value: unknown): OutcomeStatus | null {
  return outcomeStatuses.find((status) => status === value) ?? null;
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
