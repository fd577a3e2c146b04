// Owns the tables of a journal, and how a file of an older format becomes one of this. Reads and writes no task.

import { crc32 } from 'node:zlib';
import { TroupeError } from '../base/failures.ts';
import type { Database } from './driver.ts';
import { columns, Statements, sumOf, textOf } from './statements.ts';
import { outcomeSumOf, specSumOf, storedTaskOf, taskColumns } from './stored-task-row.ts';

/** The format that this version writes. */
const format = 2;

type Migration = (database: Database) => unknown;

/** What makes format n of format n - 1, from an empty file on. Each is performed whole or not at all. */
const migrations: readonly Migration[] = [
  (database) =>
    database.exec(`CREATE TABLE tasks (
     id TEXT PRIMARY KEY,
     parent TEXT,
     place TEXT,
     key TEXT,
     accepted_at REAL NOT NULL,
     ended_at REAL,
     status TEXT,
     acknowledged_at REAL,
     spec TEXT NOT NULL,
     spec_sum INTEGER NOT NULL,
     outcome TEXT,
     outcome_sum INTEGER
   ) WITHOUT ROWID;
   CREATE UNIQUE INDEX tasks_by_key ON tasks (key) WHERE key IS NOT NULL;
   CREATE INDEX tasks_unfinished ON tasks (accepted_at) WHERE ended_at IS NULL;
   CREATE INDEX tasks_below ON tasks (parent) WHERE parent IS NOT NULL;
   CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;
   CREATE TABLE commits (
     task TEXT NOT NULL,
     seq INTEGER NOT NULL,
     at REAL NOT NULL,
     body TEXT NOT NULL,
     sum INTEGER NOT NULL,
     PRIMARY KEY (task, seq)
   ) WITHOUT ROWID;
   CREATE TABLE numbers (
     name TEXT PRIMARY KEY,
     reserved INTEGER NOT NULL
   ) WITHOUT ROWID;
   INSERT INTO numbers VALUES ('tasks', 0), ('events', 0);`),
  (database) => {
    database.exec(`ALTER TABLE tasks ADD COLUMN agent TEXT;
   ALTER TABLE tasks ADD COLUMN session TEXT;
   ALTER TABLE tasks ADD COLUMN background INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE tasks ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE tasks ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX tasks_tried ON tasks (tried) WHERE tried > 0;
   CREATE INDEX tasks_of_session ON tasks (session)
     WHERE session IS NOT NULL AND background = 1 AND acknowledged_at IS NULL;
   CREATE INDEX tasks_acknowledged ON tasks (acknowledged_at) WHERE acknowledged_at IS NOT NULL;
   CREATE TABLE agents (
     name TEXT PRIMARY KEY,
     spawned_at REAL NOT NULL,
     spec TEXT NOT NULL,
     spec_sum INTEGER NOT NULL,
     used TEXT,
     used_sum INTEGER,
     first INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE memories (
     agent TEXT NOT NULL,
     seq INTEGER NOT NULL,
     message TEXT NOT NULL,
     sum INTEGER NOT NULL,
     PRIMARY KEY (agent, seq)
   ) WITHOUT ROWID;
   CREATE TABLE sessions (
     id TEXT PRIMARY KEY,
     changed_at REAL NOT NULL,
     settings TEXT NOT NULL,
     sum INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE posts (
     session TEXT NOT NULL,
     seq INTEGER NOT NULL,
     entry TEXT NOT NULL,
     sum INTEGER NOT NULL,
     PRIMARY KEY (session, seq)
   ) WITHOUT ROWID;`);
    sumAgain(database);
  },
];

/** Brings the file to this format. Throws `journal_format` for one of a newer version, or that is no journal; it is left as it is. */
export function migrate(database: Database): void {
  const found = formatOf(database);
  if (found > format) {
    throw new TroupeError(
      'journal_format',
      `it has format ${found}, and this version knows ${format}: it was written by a newer version`,
    );
  }
  if (found === 0 && hasTables(database)) {
    throw new TroupeError('journal_format', 'it has tables of another program');
  }
  for (const [at, make] of migrations.entries()) {
    if (at < found) continue;
    inTransaction(database, () => {
      make(database);
      database.exec(`PRAGMA user_version = ${at + 1}`);
    });
  }
}

/** The sums of format 1 were of the texts alone; what was damaged there is damaged here. */
function sumAgain(database: Database): void {
  const statements = new Statements(database);
  const again = (text: string, sum: unknown, now: number | null): number | null =>
    crc32(text) === Number(sum) ? now : -1;
  const ids = [...statements.of(`SELECT ${columns(['id'])} FROM tasks`).iterate()];
  for (const { id } of ids) {
    const taskId = textOf(id) ?? '';
    const row = statements.of(`SELECT ${taskColumns} FROM tasks WHERE id = ?`).get(taskId) ?? {};
    const task = storedTaskOf(row);
    const spec = again(task.spec, row['spec_sum'], specSumOf(task));
    const { outcome } = task;
    const ended = outcome === null ? null : again(outcome, row['outcome_sum'], outcomeSumOf(task));
    const update = 'UPDATE tasks SET spec_sum = ?, outcome_sum = ? WHERE id = ?';
    statements.of(update).run(spec, ended, taskId);
  }
  const commit = columns(['task', 'body'], ['seq', 'at', 'sum']);
  const keys = [...statements.of(`SELECT ${columns(['task'], ['seq'])} FROM commits`).iterate()];
  for (const key of keys) {
    const where = [textOf(key['task']) ?? '', Number(key['seq'])] as const;
    const find = `SELECT ${commit} FROM commits WHERE task = ? AND seq = ?`;
    const { body, at, sum } = statements.of(find).get(...where) ?? {};
    const text = textOf(body) ?? '';
    const now = again(text, sum, sumOf(text, ...where, Number(at)));
    statements.of('UPDATE commits SET sum = ? WHERE task = ? AND seq = ?').run(now, ...where);
  }
}

function formatOf(database: Database): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {};
  return Number(version);
}

function hasTables(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table'").get() !== undefined;
}

/** Performs all of it, or nothing. */
export function inTransaction(database: Database, perform: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    perform();
    database.exec('COMMIT');
  } catch (thrown) {
    rollBack(database);
    throw thrown;
  }
}

/** SQLite may have rolled back by itself, as after a disk that is full: then there is nothing to roll back. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // What is thrown is the failure before.
  }
}
