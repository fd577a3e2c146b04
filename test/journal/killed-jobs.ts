// Owns the jobs on a journal whose process is killed at any moment, and what must be true of each once it is done. Starts no test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { JournalStore } from '#src/journal/store.js';

export type KilledJob = {
  /** What starts a life of it. */
  readonly args: readonly string[];
  /** What a life has printed; true once the job is done. */
  take(stdout: string): boolean;
  /** Fails for what is not as it must be, once the job is done. */
  verify(): Promise<void>;
};

const program = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/programs/${name}.js`, import.meta.url));

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1);
const isDone = (stdout: string): boolean => stdout.endsWith('done\n');

class Ends {
  readonly #ends = new Map<string, Set<string>>();

  add(name: string, end: string): void {
    this.#ends.set(name, (this.#ends.get(name) ?? new Set()).add(end));
  }

  get names(): readonly string[] {
    return [...this.#ends.keys()];
  }

  /** What was said of it, over all lives: the same in each. */
  of(name: string): readonly string[] {
    return [...(this.#ends.get(name) ?? [])];
  }
}

/** Nothing of the file is damaged, and nothing in it is unfinished. */
async function verifyJournal(folder: string): Promise<number> {
  const store = await JournalStore.open(join(folder, 'troupe.db'));
  const problems = [...store.problems()];
  const { unfinished, ended } = store.stats();
  store.close();
  expect({ problems, unfinished }).toEqual({ problems: [], unfinished: 0 });
  return ended;
}

/**
 * Tasks, every third of which delegates to two: none is lost, each ends once under its own id, what it cost is counted once, and a
 * tool that is not idempotent runs once at most.
 */
export function serviceJob(folder: string, tasks: number): KilledJob {
  const ids = new Ends();
  const ends = new Ends();
  const numbers = Array.from({ length: tasks }, (_, at) => String(at));
  return {
    args: [program('durable-service'), folder, String(tasks)],
    take(stdout) {
      for (const line of linesOf(stdout)) {
        const [what, name = '', id = '', ...end] = line.split(' ');
        if (what === 'accepted' || what === 'ended') ids.add(name, id);
        if (what === 'ended') ends.add(name, end.join(' '));
      }
      return isDone(stdout);
    },
    async verify() {
      expect([...ids.names].sort()).toEqual([...numbers].sort());
      for (const name of numbers) {
        expect(ids.of(name)).toHaveLength(1);
        // Two calls of a worker, six of a lead and its two workers.
        const calls = Number(name) % 3 === 0 ? 6 : 2;
        expect(ends.of(name)).toEqual([`completed ${calls} did job-${name}`]);
      }
      const stamps = linesOf(readFileSync(join(folder, 'stamps.txt'), 'utf8'));
      const once = stamps.filter((line) => line.includes(' once '));
      expect(new Set(once).size).toBe(once.length);
      const leads = Math.ceil(tasks / 3);
      expect(await verifyJournal(folder)).toBe(tasks + 2 * leads);
    },
  };
}

/** Persistent agents: each answers every question once, and remembers all of them in the order in which they were asked. */
export function agentsJob(folder: string, questions: number): KilledJob {
  const ends = new Ends();
  let memories: readonly string[] = [];
  return {
    args: [program('durable-agents'), folder, String(questions)],
    take(stdout) {
      const lines = linesOf(stdout);
      for (const line of lines) {
        const [what, name, at, ...end] = line.split(' ');
        if (what === 'ended') ends.add(`${name}-${at}`, end.join(' '));
      }
      memories = lines.filter((line) => line.startsWith('memory '));
      return isDone(stdout);
    },
    async verify() {
      const answers = Array.from({ length: questions }, (_, at) => `answer ${at * 4 + 3}`);
      for (const name of ['ann', 'bob']) {
        for (const [at, answer] of answers.entries()) {
          expect(ends.of(`${name}-${at}`)).toEqual([`completed ${answer}`]);
        }
        const texts = answers.flatMap((answer, at) => [`${name}-${at}`, answer]);
        expect(memories).toContainEqual(`memory ${name} ${questions * 2} ${texts.join('|')}`);
      }
      await verifyJournal(folder);
    },
  };
}

/** A session: what was posted before something that was accepted is there, and each end in its background is received. */
export function sessionsJob(folder: string, tasks: number): KilledJob {
  const accepted = new Ends();
  const received = new Ends();
  return {
    args: [program('durable-sessions'), folder, String(tasks)],
    take(stdout) {
      for (const line of linesOf(stdout)) {
        const [what = '', goal = '', ...rest] = line.split(' ');
        if (what === 'begins') {
          expect(goal.split(',')).toEqual(expect.arrayContaining([...accepted.names]));
        }
        if (what === 'accepted') accepted.add(goal, rest.join(' '));
        if (what === 'received') received.add(goal, rest.join(' '));
      }
      return isDone(stdout);
    },
    async verify() {
      for (let at = 1; at <= tasks; at += 1) {
        const goal = `job-${at}`;
        const [taskId = 't\\d+'] = accepted.of(goal);
        const end = new RegExp(`^${taskId} completed did ${goal}$`);
        expect(received.of(goal)).toEqual([expect.stringMatching(end)]);
      }
      await verifyJournal(folder);
    },
  };
}
