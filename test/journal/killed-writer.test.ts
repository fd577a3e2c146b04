// Checks a journal whose process is killed while it writes: what was acknowledged is there, each group whole.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { JournalStore } from '#src/journal/store.js';
import { within } from '../supervisor/support.ts';
import { folderWith, startNode } from '../support/command.ts';
import { unfinishedIn } from './records.ts';

const program = fileURLToPath(new URL('../fixtures/programs/journal-writer.js', import.meta.url));

it('has everything that was acknowledged before a kill, life after life', async () => {
  const cwd = folderWith();
  const path = join(cwd, 'troupe.db');
  const acknowledged = new Set<string>();

  for (const acks of [1, 40, 3, 200, 17]) {
    const writer = startNode([program, path], { cwd });
    await within(writer.says(new RegExp(`(.*\\n){${acks}}`)), `${acks} acknowledgements`);
    writer.child.kill('SIGKILL');
    const { stdout, stderr } = await within(writer.ended, 'the end of the writer');
    expect(stderr).toBe('');
    // The last line may be cut.
    for (const taskId of stdout.split('\n').slice(0, -1)) acknowledged.add(taskId);

    const store = await JournalStore.open(path);
    const kept = unfinishedIn(store).map((each) => {
      if (each.isDamaged) throw new Error(each.why);
      return each.value.taskId;
    });
    const commits = kept.map((taskId) => [...store.commitsOf(taskId)].length);
    const problems = [...store.problems()];
    store.close();
    expect([...acknowledged].filter((taskId) => !kept.includes(taskId))).toEqual([]);
    expect(new Set(commits)).toEqual(new Set([1]));
    expect(problems).toEqual([]);
  }
  expect(acknowledged.size).toBeGreaterThan(260);
});
