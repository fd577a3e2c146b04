// Owns where tasks come from: one goal, the files of a glob, the lines of a file. Read lazily; nothing is started here.
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { glob } from 'tinyglobby';
import type { Task } from '../index.ts';
import type { JobInput } from './command-line.ts';
import { readLines } from './lines.ts';
import { reasonOf } from './reason.ts';
import { readTaskLine } from './task-line.ts';
import { labelOf, oneLine } from './text.ts';

/** One task of a job and what it is called on the screen. */
export type JobItem = {
  readonly task: Task;
  readonly label: string;
  readonly file?: string;
  /** Said in the results where tasks are not told apart by their file. */
  readonly goal?: string;
};

/** A job whose tasks can be had, one after the other. */
export type ReadyJob = {
  readonly type: 'ready';
  /** How many tasks there are; null while nobody knows. */
  readonly total: number | null;
  /** One task, whose answer is what the job is for. */
  readonly isOneAnswer: boolean;
  items(): AsyncIterable<JobItem> | Iterable<JobItem>;
};

export type OpenJob =
  | ReadyJob
  | { readonly type: 'refused'; readonly exitCode: 1 | 2; readonly message: string }
  /** The signal came before there was a job. */
  | { readonly type: 'aborted' };

export type JobInputOptions = {
  readonly cwd: string;
  /** What the one task of a goal is performed by, over these files; null: a task per file. */
  readonly plan: ((goal: string, files: readonly string[]) => Task) | null;
  readonly toolsets: readonly string[];
  /** Where results go: never a task of the job. */
  readonly out: string;
  readonly signal: AbortSignal;
  /** Throws what is wrong with a task. */
  check(task: Task): void;
  /** Hears of a line that is no task; the others still run. */
  onBadLine(message: string): void;
};

/** Opens the input of a job, or says why it cannot be run; aborted meanwhile, there is nothing to run. */
export async function openJob(input: JobInput, options: JobInputOptions): Promise<OpenJob> {
  const job = await openInput(input, options);
  return options.signal.aborted ? { type: 'aborted' } : job;
}

function openInput(input: JobInput, options: JobInputOptions): Promise<OpenJob> {
  switch (input.type) {
    case 'goal':
      return Promise.resolve(oneGoal(input.goal, options));
    case 'files':
      return openFiles(input.goal, input.pattern, options);
    case 'tasks':
      return openTasks(input.path, options);
  }
}

function oneGoal(
  goal: string,
  { toolsets, plan }: JobInputOptions,
  files: readonly string[] = [],
): OpenJob {
  const label = labelOf(goal);
  const item =
    plan === null ? { task: { goal, toolsets }, label } : { task: plan(goal, files), label, goal };
  return { type: 'ready', total: 1, isOneAnswer: true, items: () => [item] };
}

/** The goal for one file: `{file}` is its path; a goal without it gets the path at its end. */
export function goalFor(goal: string, file: string): string {
  return goal.includes('{file}') ? goal.replaceAll('{file}', () => file) : `${goal} ${file}`;
}

async function openFiles(
  goal: string,
  pattern: string,
  options: JobInputOptions,
): Promise<OpenJob> {
  const { cwd, toolsets, out, plan, signal } = options;
  const shown = JSON.stringify(pattern);
  let found: readonly string[];
  try {
    const ignore = ['**/node_modules/**', '**/.git/**'];
    found = await glob(pattern, { cwd, ignore, followSymbolicLinks: false, signal });
  } catch (error) {
    const message = `--each ${shown} cannot be read: ${reasonOf(error)}`;
    return { type: 'refused', exitCode: 1, message };
  }
  const outFile = relative(cwd, resolve(cwd, out)).split(sep).join('/');
  const files = found.filter((file) => file !== outFile).sort();
  if (files.length === 0) {
    return { type: 'refused', exitCode: 1, message: `no file matches --each ${shown} in ${cwd}` };
  }
  if (plan !== null) return oneGoal(goal, options, files);
  return {
    type: 'ready',
    total: files.length,
    isOneAnswer: false,
    *items() {
      for (const file of files) {
        yield { task: { goal: goalFor(goal, file), toolsets }, label: oneLine(file), file };
      }
    },
  };
}

async function openTasks(path: string, options: JobInputOptions): Promise<OpenJob> {
  const { cwd, out, signal } = options;
  const refused = (why: string): OpenJob => {
    return { type: 'refused', exitCode: 2, message: `${path} cannot be read: ${why}` };
  };
  const file = resolve(cwd, path);
  try {
    await access(file, constants.R_OK);
    if ((await stat(file)).isDirectory()) return refused('it is a folder');
    if (await isSameFile(file, resolve(cwd, out))) return refused('--out would overwrite it');
  } catch (error) {
    return refused(reasonOf(error));
  }
  // Opened with the first task: a job that is refused for another reason leaves no file open.
  const lines = () => readLines(createReadStream(file, { signal }));
  return {
    type: 'ready',
    total: null,
    isOneAnswer: false,
    items: () => taskItems(path, lines, options),
  };
}

/** Also by another name: a link, or a name that differs in what the file system does not look at. */
async function isSameFile(file: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([stat(file), stat(other).catch(() => null)]);
  return one.isFile() && one.ino === two?.ino && one.dev === two.dev;
}

async function* taskItems(
  path: string,
  lines: () => AsyncIterable<string>,
  { toolsets, signal, check, onBadLine }: JobInputOptions,
): AsyncGenerator<JobItem, void, undefined> {
  let number = 0;
  try {
    for await (const line of lines()) {
      number += 1;
      if (line.trim() === '') continue;
      const read = readTaskLine(line, { toolsets, check });
      if (read.type === 'item') yield read.item;
      else onBadLine(`${basename(path)}:${number}: ${read.message}`);
    }
  } catch (error) {
    // An interrupted job reads no further; anything else is the end of the readable part.
    if (!signal.aborted) onBadLine(`${basename(path)}:${number + 1}: ${reasonOf(error)}`);
  }
}
