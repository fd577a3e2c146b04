// Checks persistent agents on a journal whose process is killed at any moment and started again: each answers every question once,
// and remembers all of them in the order in which they were asked.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { folderWith } from '../support/command.ts';
import { lifeOf } from './lives.ts';

const program = fileURLToPath(new URL('../fixtures/programs/durable-agents.js', import.meta.url));
const questions = 8;

/** Lines after which each life is killed. */
const lives = [1, 4, 7, 3, 9, 12, 5, 17];

it('answers once what it was asked before a kill, and remembers it once (J2, J4, J5)', {
  timeout: 120_000,
}, async () => {
  const folder = folderWith();
  const ends = new Map<string, Set<string>>();
  let memories: readonly string[] = [];
  const take = (stdout: string): boolean => {
    const lines = stdout.split('\n').slice(0, -1);
    for (const line of lines) {
      const [what, name, at, ...end] = line.split(' ');
      if (what !== 'ended') continue;
      const question = `${name}-${at}`;
      ends.set(question, (ends.get(question) ?? new Set()).add(end.join(' ')));
    }
    memories = lines.filter((line) => line.startsWith('memory '));
    return stdout.endsWith('done\n');
  };

  let isDone = false;
  for (const killAfter of [...lives, undefined]) {
    isDone = take(await lifeOf(folder, [program, folder, String(questions)], killAfter));
  }

  expect(isDone).toBe(true);
  const answers = Array.from({ length: questions }, (_, at) => `answer ${at * 4 + 3}`);
  for (const name of ['ann', 'bob']) {
    for (const [at, answer] of answers.entries()) {
      expect([...(ends.get(`${name}-${at}`) ?? [])]).toEqual([`completed ${answer}`]);
    }
    const texts = answers.flatMap((answer, at) => [`${name}-${at}`, answer]);
    expect(memories).toContainEqual(`memory ${name} ${questions * 2} ${texts.join('|')}`);
  }
});
