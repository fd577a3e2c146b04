// Owns how records of a task become rows: what is there already is not written twice.
import type { JournalRecord } from './records.ts';
import { type Statements, sumOf } from './statements.ts';
import { outcomeSumOf, specSumOf } from './stored-task-row.ts';

type TaskRecord = Extract<
  JournalRecord,
  { readonly type: 'task_accepted' | 'run_committed' | 'task_ended' | 'task_acknowledged' }
>;

export function writeTask(statements: Statements, record: TaskRecord): void {
  const { taskId, at } = record;
  switch (record.type) {
    case 'task_accepted': {
      const { parentId, place, agent, session, idempotencyKey, spec } = record;
      const sql = `INSERT INTO tasks (id, parent, place, agent, session, background, key, accepted_at, spec, spec_sum)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
      const background = record.isBackground ? 1 : 0;
      const where = [taskId, parentId, place, agent, session, background] as const;
      const sum = specSumOf({ ...record, acceptedAt: at });
      statements.of(sql).run(...where, idempotencyKey, at, spec, sum);
      return;
    }
    case 'run_committed': {
      const { seq, body } = record;
      const sql =
        'INSERT INTO commits (task, seq, at, body, sum) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      statements.of(sql).run(taskId, seq, at, body, sumOf(body, taskId, seq, at));
      return;
    }
    case 'task_ended': {
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
