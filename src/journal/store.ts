// Owns the file of a journal: one connection, one transaction per group of records, and what is read back. Knows no thread.
import { closeSync, openSync } from 'node:fs';
import { TroupeError, toFailure, unreachable } from '../base/failures.ts';
import { type Database, openDatabase, type Row, type Statement } from './driver.ts';
import { EndedTasks } from './ended-tasks.ts';
import { type OwnerLock, takeOwnerLock } from './owner-lock.ts';
import type {
  JournalContents,
  JournalRecord,
  Kept,
  KeptTask,
  StoredCommit,
  StoredTask,
  TaskPlace,
} from './records.ts';
import { inTransaction, migrate } from './schema.ts';
import { columns, Statements, sumOf, textOf } from './statements.ts';
import { StoredAgents } from './stored-agents.ts';
import { isSuspect, StoredRisks } from './stored-risks.ts';
import { StoredSessions } from './stored-sessions.ts';
import { placeColumns, placeOf, taskColumns, taskOf } from './stored-task-row.ts';
import { endsOfAccepted, writeTask } from './write-task.ts';

/** `machine`: what is committed survives the machine. `process`: it survives the process, and may be lost with the machine. */
export type Durability = 'machine' | 'process';

export type JournalStats = {
  readonly unfinished: number;
  readonly ended: number;
  readonly commits: number;
  readonly agents: number;
  readonly bytes: number;
};

const countOpened = `INSERT INTO numbers (name, reserved) VALUES ('opened', 1)
  ON CONFLICT (name) DO UPDATE SET reserved = reserved + 1`;

export class JournalStore {
  readonly #database: Database;
  readonly agents: StoredAgents;
  readonly ended: EndedTasks;
  readonly risks: StoredRisks;
  readonly sessions: StoredSessions;
  readonly #lock: OwnerLock;
  readonly #statements: Statements;

  private constructor(database: Database, lock: OwnerLock) {
    this.#database = database;
    this.#lock = lock;
    this.#statements = new Statements(database);
    this.agents = new StoredAgents(this.#statements);
    this.ended = new EndedTasks(database, this.#statements);
    this.risks = new StoredRisks(this.#statements);
    this.sessions = new StoredSessions(this.#statements);
  }

  /**
   * Opens the file, or makes it, for this process alone. Rejects `journal_locked` while another has it open, `journal_format`
   * for a file that is none of ours, `journal_driver_missing`, and `journal_failed` with what the system says.
   */
  static async open(path: string, durability: Durability = 'machine'): Promise<JournalStore> {
    let lock: OwnerLock | null = null;
    let database: Database | null = null;
    try {
      lock = await takeOwnerLock(path);
      // Goals and answers are the business of its owner alone.
      closeSync(openSync(path, 'a', 0o600));
      database = await openDatabase(path);
      database.exec('PRAGMA auto_vacuum = INCREMENTAL');
      database.exec('PRAGMA journal_mode = WAL');
      database.exec(`PRAGMA synchronous = ${durability === 'machine' ? 'FULL' : 'NORMAL'}`);
      // Where a sync of the log has failed, the system may have dropped what it reads back from there: it is written again.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      migrate(database);
      // Until a new log is durable, a power cut may bring the old one back, without what was dropped of it.
      database.exec(countOpened);
      return new JournalStore(database, lock);
    } catch (thrown) {
      database?.close();
      lock?.release();
      throw asJournalFailure(thrown, path);
    }
  }

  /** Writes all of the group, or nothing; what is there already is not written twice. Throws `journal_failed`. */
  commit(records: readonly JournalRecord[]): void {
    try {
      inTransaction(this.#database, () => {
        const ends = endsOfAccepted(records);
        for (const record of records) this.#write(record, ends);
      });
    } catch (thrown) {
      throw asJournalFailure(thrown, 'a commit');
    }
  }

  /** Where the tasks are that may be asked for again, and the numbers that are in use. */
  contents(): JournalContents {
    const tasks: TaskPlace[] = [];
    const unfinished = 'SELECT id FROM tasks WHERE ended_at IS NULL';
    // Each by its index: what has ended may be most of the file. In their order by number: clocks are set back.
    const ids = `${unfinished} UNION SELECT id FROM tasks WHERE key IS NOT NULL
      UNION SELECT id FROM tasks WHERE parent IN (${unfinished})`;
    const sql = `SELECT ${placeColumns} FROM tasks
      WHERE id IN (${ids}) ORDER BY CAST(substr(id, 2) AS INTEGER)`;
    for (const row of this.#prepared(sql).iterate()) {
      const risk = { isSuspect: isSuspect(row['tried']), deaths: Number(row['deaths']) };
      tasks.push({ ...placeOf(row), ...risk });
    }
    const numbers = new Map<string, number>();
    const inUse = `SELECT ${columns(['name'], ['reserved'])} FROM numbers`;
    for (const { name, reserved } of this.#prepared(inUse).iterate()) {
      numbers.set(textOf(name) ?? '', Number(reserved));
    }
    const reserved = { tasks: numbers.get('tasks') ?? 0, events: numbers.get('events') ?? 0 };
    return { tasks, sessions: [...this.sessions.ids()], reserved };
  }

  /** A task that is kept, with its commits; null for any other. */
  load(taskId: string): Kept<KeptTask> | null {
    const task = this.task(taskId);
    if (task === null || task.isDamaged) return task;
    const commits: StoredCommit[] = [];
    for (const commit of this.commitsOf(taskId)) {
      if (commit.isDamaged) return commit;
      commits.push(commit.value);
    }
    return { isDamaged: false, value: { task: task.value, commits } };
  }

  /** Tasks that have ended and that another one had delegated, in the order of their ends; none that cannot be read. */
  *endedBelow(): Iterable<StoredTask> {
    const sql = `SELECT ${taskColumns} FROM tasks WHERE parent IS NOT NULL AND ended_at IS NOT NULL ORDER BY ended_at`;
    for (const row of this.#prepared(sql).iterate()) {
      const task = taskOf(row);
      if (!task.isDamaged) yield task.value;
    }
  }

  /** A task that is kept; null for any other. */
  task(taskId: string): Kept<StoredTask> | null {
    const row = this.#prepared(`SELECT ${taskColumns} FROM tasks WHERE id = ?`).get(taskId);
    return row === undefined ? null : taskOf(row);
  }

  /** All tasks, in the order in which they were accepted. */
  *tasks(): Iterable<{ readonly taskId: string; readonly kept: Kept<StoredTask> }> {
    const sql = `SELECT ${taskColumns} FROM tasks ORDER BY accepted_at, id`;
    for (const row of this.#prepared(sql).iterate()) {
      yield { taskId: textOf(row['id']) ?? '', kept: taskOf(row) };
    }
  }

  /** What the run of a task has committed, in order. */
  *commitsOf(taskId: string): Iterable<Kept<StoredCommit>> {
    const sql = `SELECT ${columns(['body'], ['seq', 'at', 'sum'])} FROM commits WHERE task = ? ORDER BY seq`;
    let expected = 1;
    for (const { seq, at, body: bytes, sum } of this.#prepared(sql).iterate(taskId)) {
      const body = textOf(bytes) ?? '';
      if (Number(seq) !== expected || sumOf(body, taskId, expected, Number(at)) !== Number(sum)) {
        yield { isDamaged: true, why: `commit ${expected} of it cannot be read` };
        return;
      }
      expected += 1;
      const value = { seq: Number(seq), at: Number(at), body };
      yield { isDamaged: false, value };
    }
  }

  /** What is used of the file, and what is free in it. */
  space(): { readonly usedBytes: number; readonly freeBytes: number } {
    const { page_count: pages } = this.#one('PRAGMA page_count');
    const { freelist_count: free } = this.#one('PRAGMA freelist_count');
    const { page_size: size } = this.#one('PRAGMA page_size');
    const freeBytes = Number(free) * Number(size);
    return { usedBytes: Number(pages) * Number(size) - freeBytes, freeBytes };
  }

  /** Gives free pages of the file back to the system. */
  shrink(maxPages: number): void {
    this.#database.exec(`PRAGMA incremental_vacuum(${maxPages})`);
  }

  stats(): JournalStats {
    const count = (rows: string): number =>
      Number(this.#one(`SELECT count(*) AS count FROM ${rows}`)['count']);
    const { page_count: pages } = this.#one('PRAGMA page_count');
    const { page_size: size } = this.#one('PRAGMA page_size');
    return {
      unfinished: count('tasks WHERE ended_at IS NULL'),
      ended: count('tasks WHERE ended_at IS NOT NULL'),
      commits: count('commits'),
      agents: count('agents'),
      bytes: Number(pages) * Number(size),
    };
  }

  /** Everything that is wrong with the file, by what SQLite says and by the sums of all rows. */
  *problems(): Iterable<string> {
    for (const { integrity_check: verdict } of this.#prepared('PRAGMA integrity_check').iterate()) {
      if (verdict !== 'ok') yield String(verdict);
    }
    for (const { taskId, kept: task } of this.tasks()) {
      if (task.isDamaged) yield `task ${taskId}: ${task.why}`;
      for (const commit of this.commitsOf(taskId)) {
        if (commit.isDamaged) yield `task ${taskId}: ${commit.why}`;
      }
    }
    yield* this.agents.problems();
    yield* this.sessions.problems();
  }

  /** Writes what is left in the log into the file, and gives it up. */
  close(): void {
    try {
      // A driver may close the file only when the last statement is collected.
      this.#one('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What is in the log is as durable there: the next one that opens the file reads it.
    }
    this.abandon();
  }

  /** Gives the file up as it is: what a failed write left in it is not known. */
  abandon(): void {
    this.#database.close();
    this.#lock.release();
  }

  #write(record: JournalRecord, ends: ReturnType<typeof endsOfAccepted>): void {
    switch (record.type) {
      case 'task_accepted':
      case 'run_committed':
      case 'task_ended':
      case 'task_acknowledged':
        writeTask(this.#statements, record, ends);
        return;
      case 'agent_spawned':
      case 'agent_remembered':
      case 'agent_ended':
        this.agents.write(record);
        return;
      case 'session_changed':
      case 'session_ended':
        this.sessions.write(record);
        return;
      case 'recovery_tried':
      case 'recovery_settled':
        this.risks.write(record);
        return;
      case 'numbers_reserved': {
        const reserve = this.#prepared('UPDATE numbers SET reserved = ? WHERE name = ?');
        reserve.run(record.tasks, 'tasks');
        reserve.run(record.events, 'events');
        return;
      }
      default:
        unreachable(record);
    }
  }

  #one(sql: string): Row {
    return this.#prepared(sql).get() ?? {};
  }

  #prepared(sql: string): Statement {
    return this.#statements.of(sql);
  }
}

/** Codes of ours stay; what SQLite or the system says is one of ours. */
function asJournalFailure(thrown: unknown, what: string): TroupeError {
  if (thrown instanceof TroupeError) return thrown;
  const { message } = toFailure(thrown);
  return new TroupeError('journal_failed', `${what}: ${message}`, { cause: thrown });
}
