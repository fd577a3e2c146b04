// Owns the sessions of a journal: the settings of a board, and its entries, one row each.
import type { JournalRecord, KeptEntry, KeptSession, StoredTask } from './records.ts';
import { columns, type Statements, sumOf, textOf } from './statements.ts';
import { taskColumns, taskOf } from './stored-task-row.ts';

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
    this.#statements.of(change).run(sessionId, at, settings, sumOf(settings, sessionId));
    const remove = this.#statements.of('DELETE FROM posts WHERE session = ? AND seq = ?');
    for (const seq of removed) remove.run(sessionId, seq);
    const add = this.#statements.of(
      'INSERT INTO posts (session, seq, entry, sum) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    for (const { seq, entry } of posted) {
      add.run(sessionId, seq, entry, sumOf(entry, sessionId, seq));
    }
  }

  /** Those that have something that is kept. */
  *ids(): Iterable<string> {
    const sql = `SELECT ${columns(['id'])} FROM sessions UNION SELECT ${columns(['session'])} FROM tasks WHERE ${isShown}`;
    for (const { id } of this.#statements.of(sql).iterate()) yield textOf(id) ?? '';
  }

  load(sessionId: string): KeptSession {
    const problems: string[] = [];
    const about = `SELECT ${columns(['settings'], ['sum'])} FROM sessions WHERE id = ?`;
    const row = this.#statements.of(about).get(sessionId);
    const settings = textOf(row?.['settings']);
    const isWhole = settings === null || sumOf(settings, sessionId) === Number(row?.['sum']);
    if (!isWhole) problems.push('the settings of its board cannot be read');
    const entries: KeptEntry[] = [];
    const posts = `SELECT ${columns(['entry'], ['seq', 'sum'])} FROM posts WHERE session = ? ORDER BY seq`;
    for (const { seq, entry, sum } of this.#statements.of(posts).iterate(sessionId)) {
      const text = textOf(entry) ?? '';
      if (sumOf(text, sessionId, Number(seq)) === Number(sum))
        entries.push({ seq: Number(seq), entry: text });
      else problems.push(`entry ${Number(seq)} of its board cannot be read`);
    }
    const tasks: StoredTask[] = [];
    const shown = `SELECT ${taskColumns} FROM tasks WHERE session = ? AND ${isShown} ORDER BY ended_at IS NULL, ended_at, accepted_at`;
    for (const each of this.#statements.of(shown).iterate(sessionId)) {
      const task = taskOf(each);
      if (task.isDamaged) problems.push(`task ${textOf(each['id'])}: ${task.why}`);
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
    const sql = `SELECT ${columns(['id'])} FROM sessions`;
    for (const row of this.#statements.of(sql).iterate()) {
      const id = textOf(row['id']) ?? '';
      for (const problem of this.load(id).problems) {
        if (!problem.startsWith('task ')) yield `session ${id}: ${problem}`;
      }
    }
  }
}
