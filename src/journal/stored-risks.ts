// Owns which recovered tasks may have ended the process: those whose code ran again and that had not gone on when it ended.
import type { JournalRecord } from './records.ts';
import { columns, type Statements, textOf } from './statements.ts';

type RiskRecord = Extract<JournalRecord, { readonly type: 'recovery_tried' | 'recovery_settled' }>;

/** What the column `tried` has. */
const risks = { none: 0, tried: 1, triedAlone: 2, suspect: 3 } as const;

export class StoredRisks {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  write(record: RiskRecord): void {
    const { taskId } = record;
    if (record.type === 'recovery_settled') {
      this.#run('UPDATE tasks SET tried = ?, deaths = 0 WHERE id = ?', risks.none, taskId);
      return;
    }
    const tried = record.isAlone ? risks.triedAlone : risks.tried;
    this.#run('UPDATE tasks SET tried = ? WHERE id = ?', tried, taskId);
  }

  /** The process before has ended without closing the journal where anything is still being tried. */
  beginLife(): void {
    const alone = `SELECT ${columns(['id'])} FROM tasks WHERE tried = ? AND ended_at IS NULL`;
    const found = [...this.#statements.of(alone).iterate(risks.triedAlone)];
    const [only] = found;
    if (only !== undefined && found.length === 1) {
      this.#run('UPDATE tasks SET deaths = deaths + 1 WHERE id = ?', textOf(only['id']) ?? '');
    }
    this.#run('UPDATE tasks SET tried = ? WHERE tried > 0', risks.suspect);
  }

  /** It is closed in good order: what was being tried has ended nothing. */
  endLife(): void {
    this.#run('UPDATE tasks SET tried = ? WHERE tried = ?', risks.none, risks.tried);
    this.#run('UPDATE tasks SET tried = ? WHERE tried = ?', risks.suspect, risks.triedAlone);
  }

  #run(sql: string, ...params: readonly (string | number)[]): void {
    this.#statements.of(sql).run(...params);
  }
}

export function isSuspect(tried: unknown): boolean {
  return Number(tried) === risks.suspect;
}
