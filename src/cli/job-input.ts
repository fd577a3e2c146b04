// Owns where tasks come from: one goal, the files of a glob, the lines of a file. Read lazily; nothing is started here.

import { resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { hasResults } from './earlier-results.ts';
import type { JobInputOptions, OpenJob } from './open-job.ts';
import { filesOutside, outsideText } from './outside-files.ts';
import { reasonOf } from './reason.ts';
import type { JobInput } from './run-options.ts';
import { isSameFile } from './same-file.ts';
import { openTasksFile } from './tasks-file.ts';
import { labelOf, oneLine } from './text.ts';

/** Opens the input of a job, or returns why it cannot be run. When aborted meanwhile, there is nothing to run. */
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
      return openTasksFile(input.path, options);
  }
}

function oneGoal(
  goal: string,
  { toolsets, oneTask }: JobInputOptions,
  files: readonly string[] = [],
): OpenJob {
  const label = labelOf(goal);
  const task = oneTask === null ? { goal, toolsets } : oneTask(goal, files);
  const item = { task, label, input: null, line: null };
  return { type: 'ready', total: 1, isOneAnswer: true, items: () => [item] };
}

/** The goal for one file: `{file}` is its path; a goal without it gets the path at its end. */
function goalFor(goal: string, file: string): string {
  return goal.includes('{file}') ? goal.replaceAll('{file}', () => file) : `${goal} ${file}`;
}

async function openFiles(
  goal: string,
  pattern: string,
  options: JobInputOptions,
): Promise<OpenJob> {
  const { cwd, toolsets, out, journal, oneTask, signal } = options;
  const shown = JSON.stringify(pattern);
  let found: readonly string[];
  try {
    const ignore = ['**/node_modules/**', '**/.git/**'];
    found = await glob(pattern, { cwd, ignore, followSymbolicLinks: false, signal });
  } catch (error) {
    return refused(1, `--each ${shown} cannot be read: ${reasonOf(error)}`);
  }
  const inTheWay = out === null ? [] : await sameFiles(found, out, cwd);
  // What an earlier job wrote is no work for this one; anything else is.
  if (out !== null && inTheWay.length > 0 && !(await hasResults(resolve(cwd, out)))) {
    return refused(2, `--out ${out} would overwrite a file of --each ${shown}: name another file`);
  }
  const ours = journal === null ? [] : filesOfJournal(resolve(cwd, journal));
  const isOurs = (file: string) => inTheWay.includes(file) || ours.includes(resolve(cwd, file));
  const files = found.filter((file) => !isOurs(file)).sort();
  const outside = filesOutside(files, { folder: cwd, toolsets });
  if (outside.length > 0) {
    const what = `--each ${shown} matches files ${outsideText(outside, cwd)}`;
    return refused(2, `${what}; run troupe in a folder above them`);
  }
  if (files.length === 0) return refused(1, `no file matches --each ${shown} in ${cwd}`);
  if (oneTask !== null) return oneGoal(goal, options, files);
  return {
    type: 'ready',
    total: files.length,
    isOneAnswer: false,
    *items() {
      for (const file of files) {
        const task = { goal: goalFor(goal, file), toolsets };
        yield { task, label: oneLine(file), input: file, line: null, file };
      }
    },
  };
}

function filesOfJournal(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal'].map(
    (ending) => `${path}${ending}`,
  );
}

async function sameFiles(
  found: readonly string[],
  out: string,
  cwd: string,
): Promise<readonly string[]> {
  const isOut = (file: string) => isSameFile(resolve(cwd, file), resolve(cwd, out));
  const same = await Promise.all(found.map(isOut));
  return found.filter((_, at) => same[at]);
}

function refused(exitCode: 1 | 2, message: string): OpenJob {
  return { type: 'refused', exitCode, messages: [message] };
}
