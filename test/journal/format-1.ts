// Makes a journal as the first version wrote it: what later versions have to read. Starts no test.
import { crc32 } from 'node:zlib';
import { openDatabase } from '#src/journal/driver.js';

const tables = `
  CREATE TABLE tasks (
    id TEXT PRIMARY KEY, parent TEXT, place TEXT, key TEXT, accepted_at REAL NOT NULL, ended_at REAL, status TEXT,
    acknowledged_at REAL, spec TEXT NOT NULL, spec_sum INTEGER NOT NULL, outcome TEXT, outcome_sum INTEGER
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX tasks_by_key ON tasks (key) WHERE key IS NOT NULL;
  CREATE INDEX tasks_unfinished ON tasks (accepted_at) WHERE ended_at IS NULL;
  CREATE INDEX tasks_below ON tasks (parent) WHERE parent IS NOT NULL;
  CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE commits (
    task TEXT NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (task, seq)
  ) WITHOUT ROWID;
  CREATE TABLE numbers (name TEXT PRIMARY KEY, reserved INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO numbers VALUES ('tasks', 10000), ('events', 1000000);
  PRAGMA user_version = 1;`;

/** With one unfinished task, `t7`, which was given this goal and has committed nothing. */
export async function journalOfFormat1(path: string, goal: string): Promise<void> {
  const database = await openDatabase(path);
  const spec = JSON.stringify({ task: { goal }, index: 0, width: 1 });
  database.exec(tables);
  database
    .prepare('INSERT INTO tasks (id, accepted_at, spec, spec_sum) VALUES (?, ?, ?, ?)')
    .run('t7', 1, spec, crc32(spec));
  database.close();
}
