// Owns how records of a task become rows: what is there already is not written twice. A task that was accepted and has ended in one
// group is one row at once.
import type { JournalRecord } from './records.ts';
import { type Statements, sumOf } from './statements.ts';
import { outcomeSumOf, specSumOf } from './stored-task-row.ts';

type TaskRecord = Extract<
  JournalRecord,
  { readonly type: 'task_accepted' | 'run_committed' | 'task_ended' | 'task_acknowledged' }
>;

type AcceptedRecord = Extract<TaskRecord, { readonly type: 'task_accepted' }>;
type EndedRecord = Extract<TaskRecord, { readonly type: 'task_ended' }>;

/** The ends of those tasks that a group accepts as well. */
export function endsOfAccepted(group: readonly JournalRecord[]): ReadonlyMap<string, EndedRecord> {
  const accepted = new Set<string>();
  const ends = new Map<string, EndedRecord>();
  for (const record of group) {
    if (record.type === 'task_accepted') accepted.add(record.taskId);
    else if (
      record.type === 'task_ended' &&
      accepted.has(record.taskId) &&
      !ends.has(record.taskId)
    ) {
      ends.set(record.taskId, record);
    }
  }
  return ends;
}

/** `ends` are written with what they are ends of. */
export function writeTask(
  statements: Statements,
  record: TaskRecord,
  ends: ReadonlyMap<string, EndedRecord>,
): void {
  const { taskId, at } = record;
  switch (record.type) {
    case 'task_accepted':
      writeAccepted(statements, record, ends.get(taskId));
      return;
    case 'run_committed': {
      const { seq, body } = record;
      const sql =
        'INSERT INTO commits (task, seq, at, body, sum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      statements.of(sql).run(taskId, seq, at, body, sumOf(body, taskId, seq, at));
      return;
    }
    case 'task_ended': {
      if (ends.get(taskId) === record) return;
      const { status, outcome } = record;
      const sql =
        'UPDATE tasks SET ended_at = ?, status = ?, outcome = ?, outcome_sum = ? WHERE id = ? AND ended_at IS NULL';
      const sum = outcomeSumOf({ ...record, endedAt: at });
      statements.of(sql).run(at, status, outcome, sum, taskId);
      return;
    }
    case 'task_acknowledged':
      statements.of('UPDATE tasks SET acknowledged_at = ? WHERE id = ?').run(at, taskId);
      return;
  }
}

const acceptedColumns =
  'id, parent, place, agent, session, background, key, accepted_at, spec, spec_sum';
const endedColumns = 'ended_at, status, outcome, outcome_sum';
const insertAccepted = `INSERT INTO tasks (${acceptedColumns})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
const insertEnded = `INSERT INTO tasks (${acceptedColumns}, ${endedColumns})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at,
  status = excluded.status, outcome = excluded.outcome, outcome_sum = excluded.outcome_sum WHERE ended_at IS NULL`;

function writeAccepted(
  statements: Statements,
  record: AcceptedRecord,
  end: EndedRecord | undefined,
): void {
  const { taskId, at, parentId, place, agent, session, idempotencyKey, spec } = record;
  const background = record.isBackground ? 1 : 0;
  const where = [taskId, parentId, place, agent, session, background] as const;
  const accepted = [...where, idempotencyKey, at, spec, specSumOf({ ...record, acceptedAt: at })];
  if (end === undefined) {
    statements.of(insertAccepted).run(...accepted);
    return;
  }
  const sum = outcomeSumOf({ ...end, endedAt: end.at });
  statements.of(insertEnded).run(...accepted, end.at, end.status, end.outcome, sum);
}
