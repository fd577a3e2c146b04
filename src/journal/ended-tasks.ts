// Owns how ended tasks are forgotten: which of them go first, with their commits. What an unfinished task delegated stays: its call
// may ask for it.
import type { Database, Param } from './driver.ts';
import { inTransaction } from './schema.ts';
import { columns, type Statements, textOf } from './statements.ts';

const notNeeded = 'NOT coalesce(parent IN (SELECT id FROM tasks WHERE ended_at IS NULL), 0)';
const received =
  'SELECT id FROM tasks WHERE acknowledged_at IS NOT NULL AND ended_at IS NOT NULL AND key IS NULL';

export class EndedTasks {
  readonly #database: Database;
  readonly #statements: Statements;

  constructor(database: Database, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  /** Forgets those that ended before, and acknowledged ones that no key may ask for again: `max` at most, -1 for all. Returns their ids. */
  prune(endedBefore: number, max: number): readonly string[] {
    const old = 'SELECT id FROM tasks WHERE ended_at < ?';
    return this.#forget(`id IN (${old} UNION ${received}) AND ${notNeeded} LIMIT ?`, [
      endedBefore,
      max,
    ]);
  }

  /** Forgets those that ended first, keyed and unread ones too: `max` at most. Returns their ids. */
  pruneOldest(max: number): readonly string[] {
    return this.#forget(`ended_at IS NOT NULL AND ${notNeeded} ORDER BY ended_at LIMIT ?`, [max]);
  }

  #forget(which: string, params: readonly Param[]): readonly string[] {
    const taskIds: string[] = [];
    inTransaction(this.#database, () => {
      const found = this.#statements.of(`SELECT ${columns(['id'])} FROM tasks WHERE ${which}`);
      for (const { id } of found.iterate(...params)) taskIds.push(textOf(id) ?? '');
      for (const taskId of taskIds) {
        this.#statements.of('DELETE FROM commits WHERE task = ?').run(taskId);
        this.#statements.of('DELETE FROM tasks WHERE id = ?').run(taskId);
      }
    });
    return taskIds;
  }
}
