// What the jobs of a service on a failing disk have to come to. Starts no test.
import { join } from 'node:path';
import { expect } from 'vitest';
import { JournalStore } from '#src/journal/store.js';

/** Each has ended once, by what was printed and by what is kept. */
export async function verifyJobs(folder: string, stdout: string, tasks: number): Promise<void> {
  const ended = stdout.split('\n').filter((line) => line.startsWith('ended '));
  expect(ended).toHaveLength(tasks);
  for (const line of ended) expect(line).toMatch(/^ended (job-\d+) t\d+ completed did \1$/);
  const store = await JournalStore.open(join(folder, 'troupe.db'));
  const problems = [...store.problems()];
  const { unfinished, ended: kept } = store.stats();
  store.close();
  expect({ problems, unfinished, kept }).toEqual({ problems: [], unfinished: 0, kept: tasks });
}
