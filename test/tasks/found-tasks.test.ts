// Checks how tasks of an earlier process are found: by id, by key, by the call that delegated them; each is taken once.
import { expect, it } from 'vitest';
import type { TaskPlace } from '#src/journal/records.js';
import { FoundTasks } from '#src/tasks/journal/found-tasks.js';

const task = (taskId: string, more: Partial<TaskPlace> = {}): TaskPlace => ({
  taskId,
  parentId: null,
  place: null,
  agent: null,
  session: null,
  isBackground: false,
  idempotencyKey: null,
  status: null,
  isSuspect: false,
  deaths: 0,
  ...more,
});

const idsOf = (places: Iterable<TaskPlace>): readonly string[] =>
  [...places].map(({ taskId }) => taskId);

it('an unfinished one is taken once, an ended one stays', () => {
  const found = new FoundTasks([
    task('t1', { idempotencyKey: 'a' }),
    task('t2', { idempotencyKey: 'b', status: 'completed' }),
  ]);

  for (const taskId of ['t1', 't2']) found.take(taskId);

  expect([found.withId('t1'), found.withKey('a')]).toEqual([null, null]);
  expect(found.withKey('b')).toMatchObject({ taskId: 't2' });
  expect(idsOf(found.roots())).toEqual([]);
});

it('a child is found by its place until it is taken', () => {
  const found = new FoundTasks([
    task('t1'),
    task('t2', { parentId: 't1', place: '0 1 c1 0' }),
    task('t3', { parentId: 't1', place: '0 1 c1 1', status: 'failed' }),
  ]);

  expect(idsOf(found.roots())).toEqual(['t1']);
  expect(found.at('t1', '0 1 c1 0')).toMatchObject({ taskId: 't2' });
  expect(idsOf(found.unfinishedBelow('t1'))).toEqual(['t2']);
  found.take('t2');
  expect(found.at('t1', '0 1 c1 0')).toBeNull();
  expect(found.at('t1', '0 1 c1 1')).toMatchObject({ taskId: 't3' });
});

it('what is left below an ended one is lost, at any depth, and asked for no more', () => {
  const found = new FoundTasks([
    task('t1'),
    task('t2', { parentId: 't1' }),
    task('t3', { parentId: 't2' }),
    task('t4', { parentId: 't1', place: 'p', status: 'completed' }),
  ]);
  found.take('t1');

  expect([...found.lostBelow('t1')]).toEqual(['t2', 't3']);
  expect([...found.lostBelow('t1')]).toEqual([]);
  expect([found.at('t1', 'p'), found.withId('t4')]).toEqual([null, null]);
});

it('one that is not kept any longer gives its key free (J4)', () => {
  const found = new FoundTasks();
  found.add(task('t1', { idempotencyKey: 'k', status: 'completed' }));

  found.forget('t1');
  found.forget('none');

  expect([found.withId('t1'), found.withKey('k')]).toEqual([null, null]);
});
