// Checks a service on a journal that is killed at any moment and started again until its job is done: nothing accepted is lost,
// each task ends once under its own id, and what must not happen twice does not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { JournalStore } from '#src/journal/store.js';
import { folderWith } from '../support/command.ts';
import { lifeOf } from './lives.ts';

const program = fileURLToPath(new URL('../fixtures/programs/durable-service.js', import.meta.url));
const tasks = 12;

/** Lines after which each life is killed. */
const lives = [1, 9, 14, 20, 26, 13, 31, 17, 22, 40];

const linesOf = (folder: string, name: string): readonly string[] =>
  readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);

const countsOf = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
};

it('goes on after every kill with every accepted task, and repeats nothing that must not be (J1, J2, J4, J8, F24)', {
  timeout: 120_000,
}, async () => {
  const folder = folderWith();
  /** What the program learned of each task, life after life. */
  const ids = new Map<string, Set<string>>();
  const ends = new Map<string, Set<string>>();
  const take = (stdout: string): boolean => {
    for (const line of stdout.split('\n').slice(0, -1)) {
      const [what, name = '', id = '', ...end] = line.split(' ');
      if (what === 'accepted' || what === 'ended') {
        ids.set(name, (ids.get(name) ?? new Set()).add(id));
      }
      if (what === 'ended') ends.set(name, (ends.get(name) ?? new Set()).add(end.join(' ')));
    }
    return stdout.endsWith('done\n');
  };

  let isDone = false;
  const args = [program, folder, String(tasks)];
  for (const killAfter of lives) isDone = take(await lifeOf(folder, args, killAfter));
  while (!isDone) isDone = take(await lifeOf(folder, args));

  expect(ids.size).toBe(tasks);
  expect([...ids.values()].map(({ size }) => size)).toEqual(Array.from({ length: tasks }, () => 1));
  expect([...ends.values()].map(({ size }) => size)).toEqual(
    Array.from({ length: tasks }, () => 1),
  );
  for (const [name, [end = '']] of [...ends].map(([name, set]) => [name, [...set]] as const)) {
    // The spend of all lives is counted once: two calls of a worker, six of a lead and its two workers.
    expect(end).toBe(`completed ${Number(name) % 3 === 0 ? 6 : 2} did job-${name}`);
  }
  const stamps = linesOf(folder, 'stamps.txt');
  const twice = [...countsOf(stamps)].filter(
    ([line, count]) => line.includes(' once ') && count > 1,
  );
  expect(twice).toEqual([]);
  const store = await JournalStore.open(join(folder, 'troupe.db'));
  const problems = [...store.problems()];
  const { unfinished, ended } = store.stats();
  store.close();
  // Each lead has delegated to two.
  expect({ problems, unfinished, ended }).toEqual({
    problems: [],
    unfinished: 0,
    ended: tasks + (tasks / 3) * 2,
  });
});
