// Owns the sessions of a journal: the settings of a board, and its entries, one row each.
import type { JournalRecord, KeptEntry, KeptSession, StoredTask } from './records.ts';
import { type Statements, sumOf } from './statements.ts';
import { taskOf } from './stored-task-row.ts';

type SessionRecord = Extract<JournalRecord, { readonly type: 'session_changed' | 'session_ended' }>;

/** Tasks of a session that it still has to show. */
const isShown = 'session IS NOT NULL AND background = 1 AND acknowledged_at IS NULL';

export class StoredSessions {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  write(record: SessionRecord): void {
    const { sessionId } = record;
    if (record.type === 'session_ended') {
      this.#statements.of('DELETE FROM posts WHERE session = ?').run(sessionId);
      this.#statements.of('DELETE FROM sessions WHERE id = ?').run(sessionId);
      return;
    }
    const { at, settings, posted, removed } = record;
    const change = `INSERT INTO sessions (id, changed_at, settings, sum) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET changed_at = excluded.changed_at, settings = excluded.settings, sum = excluded.sum`;
    this.#statements.of(change).run(sessionId, at, settings, sumOf(settings));
    const remove = this.#statements.of('DELETE FROM posts WHERE session = ? AND seq = ?');
    for (const seq of removed) remove.run(sessionId, seq);
    const add = this.#statements.of(
      'INSERT INTO posts (session, seq, entry, sum) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    for (const { seq, entry } of posted) add.run(sessionId, seq, entry, sumOf(entry));
  }

  /** Those that have something that is kept. */
  *ids(): Iterable<string> {
    const sql = `SELECT id FROM sessions UNION SELECT session FROM tasks WHERE ${isShown}`;
    for (const { id } of this.#statements.of(sql).iterate()) yield String(id);
  }

  load(sessionId: string): KeptSession {
    const problems: string[] = [];
    const row = this.#statements.of('SELECT * FROM sessions WHERE id = ?').get(sessionId);
    const settings = row === undefined ? null : String(row['settings']);
    const isWhole = settings === null || sumOf(settings) === Number(row?.['sum']);
    if (!isWhole) problems.push('the settings of its board cannot be read');
    const entries: KeptEntry[] = [];
    const posts = 'SELECT seq, entry, sum FROM posts WHERE session = ? ORDER BY seq';
    for (const { seq, entry, sum } of this.#statements.of(posts).iterate(sessionId)) {
      const text = String(entry);
      if (sumOf(text) === Number(sum)) entries.push({ seq: Number(seq), entry: text });
      else problems.push(`entry ${Number(seq)} of its board cannot be read`);
    }
    const tasks: StoredTask[] = [];
    const shown = `SELECT * FROM tasks WHERE session = ? AND ${isShown} ORDER BY ended_at IS NULL, ended_at, accepted_at`;
    for (const each of this.#statements.of(shown).iterate(sessionId)) {
      const task = taskOf(each);
      if (task.isDamaged) problems.push(`task ${String(each['id'])}: ${task.why}`);
      else tasks.push(task.value);
    }
    return { settings: isWhole ? settings : null, entries, tasks, problems };
  }

  /** Forgets boards that have not changed since. */
  prune(changedBefore: number): void {
    const old = 'SELECT id FROM sessions WHERE changed_at < ?';
    this.#statements.of(`DELETE FROM posts WHERE session IN (${old})`).run(changedBefore);
    this.#statements.of('DELETE FROM sessions WHERE changed_at < ?').run(changedBefore);
  }

  /** Everything that is wrong with their boards. */
  *problems(): Iterable<string> {
    for (const { id } of this.#statements.of('SELECT id FROM sessions').iterate()) {
      for (const problem of this.load(String(id)).problems) {
        if (!problem.startsWith('task ')) yield `session ${String(id)}: ${problem}`;
      }
    }
  }
}
