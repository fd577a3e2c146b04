// Checks a session on a journal whose process is killed at any moment and started again: what was posted before something that
// was accepted is there, and each end in its background is received.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { folderWith } from '../support/command.ts';
import { lifeOf } from './lives.ts';

const program = fileURLToPath(new URL('../fixtures/programs/durable-sessions.js', import.meta.url));
const tasks = 10;

/** Lines after which each life is killed. */
const lives = [1, 3, 2, 5, 4, 8];

it('has its board and receives every end, over kills (J2, J4, J5)', {
  timeout: 120_000,
}, async () => {
  const folder = folderWith();
  const accepted = new Map<string, string>();
  const received = new Map<string, Set<string>>();
  const take = (stdout: string): boolean => {
    for (const line of stdout.split('\n').slice(0, -1)) {
      const [what = '', goal = '', ...rest] = line.split(' ');
      if (what === 'begins') {
        const posted = new Set(goal.split(','));
        for (const each of accepted.keys())
          expect(posted, 'what was accepted is posted').toContain(each);
      }
      if (what === 'accepted') accepted.set(goal, rest.join(' '));
      if (what === 'received')
        received.set(goal, (received.get(goal) ?? new Set()).add(rest.join(' ')));
    }
    return stdout.endsWith('done\n');
  };

  let isDone = false;
  const args = [program, folder, String(tasks)];
  for (const killAfter of lives) if (!isDone) isDone = take(await lifeOf(folder, args, killAfter));
  while (!isDone) isDone = take(await lifeOf(folder, args));

  expect(received.size).toBe(tasks);
  for (const [goal, ends] of received) {
    const [end = ''] = ends;
    expect([...ends]).toEqual([expect.stringMatching(new RegExp(`^t\\d+ completed did ${goal}$`))]);
    const taskId = accepted.get(goal);
    if (taskId !== undefined) expect(end).toContain(taskId);
  }
});
