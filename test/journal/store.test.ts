// Checks the file of a journal: what a group of records comes to, what is read back, who may open it, what damage is.
import { execFile } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/journal/driver.js';
import type { JournalRecord, Kept } from '#src/journal/records.js';
import { JournalStore } from '#src/journal/store.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { rejection } from '../supervisor/support.ts';
import { accepted, taskByKey, unfinishedIn } from './records.ts';

const start = promisify(execFile);

const committed = (taskId: string, seq: number, body = `"${seq}"`): JournalRecord => ({
  type: 'run_committed',
  taskId,
  seq,
  at: seq,
  body,
});
const ended = (taskId: string, at = 9): JournalRecord => ({
  type: 'task_ended',
  taskId,
  at,
  status: 'completed',
  outcome: '{"status":"completed"}',
});

const values = <Value>(kept: Iterable<Kept<Value>>): readonly Value[] =>
  [...kept].map((each) => {
    if (each.isDamaged) throw new Error(each.why);
    return each.value;
  });

async function withStore<Value>(path: string, use: (store: JournalStore) => Value): Promise<Value> {
  const store = await JournalStore.open(path);
  try {
    return use(store);
  } finally {
    store.close();
  }
}

const file = (): string => join(temporaryFolder(), 'troupe.db');

describe('a journal', () => {
  it('has a task that was accepted and ended in one group as one that ended later, once', async () => {
    const apart = file();
    await withStore(apart, (store) => {
      store.commit([accepted('t1', { place: '1 call 0', parentId: 't0' })]);
      store.commit([ended('t1')]);
    });
    const together = file();
    const found = [accepted('t1', { place: '1 call 0', parentId: 't0' }), ended('t1')];
    await withStore(together, (store) => {
      store.commit([...found, ended('t1', 10)]);
      store.commit(found);
    });
    const again = file();
    await withStore(again, (store) => {
      store.commit(found.slice(0, 1));
      store.commit(found);
    });

    const [first, ...others] = await Promise.all(
      [apart, together, again].map((path) =>
        withStore(path, (store) => ({
          tasks: [...store.tasks()],
          problems: [...store.problems()],
        })),
      ),
    );
    expect(first).toMatchObject({ problems: [], tasks: [{ kept: { value: { endedAt: 9 } } }] });
    expect(others).toEqual([first, first]);
  });

  it('has after an open what was committed before a close', async () => {
    const path = file();
    await withStore(path, (store) => {
      store.commit([accepted('t2', { at: 2 }), accepted('t1', { place: '1 call 0' })]);
      store.commit([committed('t1', 1), committed('t1', 2), ended('t2')]);
    });

    await withStore(path, (store) => {
      expect(values(unfinishedIn(store))).toEqual([
        {
          taskId: 't1',
          parentId: null,
          place: '1 call 0',
          agent: null,
          session: null,
          isBackground: false,
          idempotencyKey: null,
          acceptedAt: 1,
          endedAt: null,
          acknowledgedAt: null,
          spec: '{"goal":"t1"}',
          outcome: null,
          status: null,
        },
      ]);
      expect(values(store.commitsOf('t1'))).toEqual([
        { seq: 1, at: 1, body: '"1"' },
        { seq: 2, at: 2, body: '"2"' },
      ]);
      expect(store.task('t2')).toMatchObject({
        value: { endedAt: 9, outcome: '{"status":"completed"}' },
      });
      expect(store.task('t3')).toBeNull();
      expect(store.stats()).toMatchObject({ unfinished: 1, ended: 1, commits: 2 });
      expect([...store.problems()]).toEqual([]);
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('takes a group whole or not at all', async () => {
    await withStore(file(), (store) => {
      store.commit([accepted('t1', { idempotencyKey: 'k' })]);
      const same = accepted('t3', { idempotencyKey: 'k' });

      const twice = () => store.commit([accepted('t2'), committed('t1', 1), same]);

      expect(twice).toThrow(expect.objectContaining({ code: 'journal_failed' }));
      expect(values(unfinishedIn(store)).map(({ taskId }) => taskId)).toEqual(['t1']);
      expect([...store.commitsOf('t1')]).toEqual([]);
      store.commit([accepted('t2')]);
      expect(store.stats().unfinished).toBe(2);
    });
  });

  it('ends a task once: a second outcome changes nothing (O2)', async () => {
    await withStore(file(), (store) => {
      store.commit([accepted('t1'), ended('t1', 5), ended('t1', 6)]);

      expect(store.task('t1')).toMatchObject({ value: { endedAt: 5 } });
    });
  });

  it('finds a task by its key until its retention ends, and forgets what was acknowledged', async () => {
    await withStore(file(), (store) => {
      const ends = ['keyed', 'read', 'unread'].map((name) => ended(name, 50));
      store.commit([
        accepted('keyed', { idempotencyKey: 'k' }),
        accepted('read'),
        accepted('unread'),
        accepted('running'),
        committed('read', 1),
        ...ends,
        { type: 'task_acknowledged', taskId: 'keyed', at: 60 },
        { type: 'task_acknowledged', taskId: 'read', at: 60 },
      ]);

      expect(store.ended.prune(50, -1)).toEqual(['read']);
      expect([store.task('read'), [...store.commitsOf('read')]]).toEqual([null, []]);
      expect(taskByKey(store, 'k')).toBe('keyed');
      expect(store.ended.prune(51, -1)).toEqual(['keyed', 'unread']);
      expect([taskByKey(store, 'k'), store.task('unread')]).toEqual([undefined, null]);
      expect(store.stats()).toMatchObject({ unfinished: 1, ended: 0, commits: 0 });
    });
  });

  it('is one process’s, and free at once when that is killed', async () => {
    const path = file();
    const store = await JournalStore.open(path);
    expect(await rejection(JournalStore.open(path))).toMatchObject({ code: 'journal_locked' });
    store.close();

    // It dies with the file open, in the middle of a transaction.
    const module = new URL('../../dist/src/journal/store.js', import.meta.url).href;
    const program = `const { JournalStore } = await import(${JSON.stringify(module)});
      const store = await JournalStore.open(${JSON.stringify(path)});
      store.commit([{ ...${JSON.stringify(accepted('t1'))} }]);
      process.kill(process.pid, 'SIGKILL');`;
    await rejection(start(process.execPath, ['--input-type=module', '--eval', program]));

    await withStore(path, (again) => {
      expect(values(unfinishedIn(again)).map(({ taskId }) => taskId)).toEqual(['t1']);
    });
  });

  it.each<[string, string, RegExp]>([
    ['of a newer version', 'PRAGMA user_version = 99', /format 99.* knows 2/],
    ['of another program', 'CREATE TABLE notes (text TEXT)', /tables of another program/],
  ])('refuses a file %s, and leaves it as it is', async (_case, sql, message) => {
    const path = file();
    const other = await openDatabase(path);
    other.exec(sql);
    other.close();

    const error = await rejection(JournalStore.open(path));

    expect(error).toMatchObject({
      code: 'journal_format',
      message: expect.stringMatching(message),
    });
    expect(await rejection(JournalStore.open(path))).toMatchObject({ code: 'journal_format' });
  });

  it('refuses what is no database, and a folder that is not there', async () => {
    const path = file();
    writeFileSync(path, 'x'.repeat(10_000));

    expect(await rejection(JournalStore.open(path))).toMatchObject({ code: 'journal_failed' });
    expect(await rejection(JournalStore.open(join(path, 'none', 'a.db')))).toMatchObject({
      code: 'journal_failed',
    });
  });

  it('says what to install where there is no SQLite', async () => {
    const program = fileURLToPath(
      new URL('../fixtures/programs/without-sqlite.js', import.meta.url),
    );

    const { stdout } = await start(process.execPath, [program, file()]);

    expect(JSON.parse(stdout)).toEqual({
      code: 'journal_driver_missing',
      message: expect.stringMatching(
        /^Node \d+\..* the package libsql cannot be loaded: no libsql$/,
      ),
    });
  });

  it('refuses what is damaged for its task alone, and says so', async () => {
    const path = file();
    await withStore(path, (store) => {
      store.commit([accepted('t1'), accepted('t2'), accepted('t3'), committed('t2', 1)]);
      store.commit([committed('t2', 2), ended('t3')]);
    });
    const other = await openDatabase(path);
    other.exec(`UPDATE tasks SET spec = '{"goal":"other"}' WHERE id = 't1'`);
    other.exec(`UPDATE commits SET body = '"3"' WHERE seq = 2`);
    other.exec(`UPDATE tasks SET outcome = '{}' WHERE id = 't3'`);
    other.close();

    await withStore(path, (store) => {
      expect(unfinishedIn(store)).toMatchObject([
        { isDamaged: true, why: 'what it was asked cannot be read' },
        { isDamaged: false, value: { taskId: 't2' } },
      ]);
      expect([...store.commitsOf('t2')]).toMatchObject([
        { isDamaged: false, value: { seq: 1 } },
        { isDamaged: true, why: 'commit 2 of it cannot be read' },
      ]);
      expect([...store.problems()]).toEqual([
        'task t1: what it was asked cannot be read',
        'task t2: commit 2 of it cannot be read',
        'task t3: its outcome cannot be read',
      ]);
    });
  });
});
