// Owns the file of tasks of a job: checked to its last line before the first task starts, then read again, lazily.
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readLines } from './lines.ts';
import type { BadLine, JobInputOptions, JobItem, OpenJob } from './open-job.ts';
import { reasonOf } from './reason.ts';
import { isSameFile } from './same-file.ts';
import { readTaskLine } from './task-line.ts';
import { plural } from './units.ts';

/** Wrong lines that are named one by one. */
const maxNamed = 10;

/** Refuses the whole file when one of its lines is no task, unless the job is to go on: nothing has cost anything yet. */
export async function openTasksFile(path: string, options: JobInputOptions): Promise<OpenJob> {
  const { cwd, out, signal, keepsGoing } = options;
  const file = resolve(cwd, path);
  let isFile: boolean;
  try {
    await access(file, constants.R_OK);
    const stats = await stat(file);
    if (stats.isDirectory()) return unreadable(path, 'it is a folder');
    if (out !== null && (await isSameFile(file, resolve(cwd, out)))) {
      return unreadable(path, '--out would overwrite it');
    }
    isFile = stats.isFile();
  } catch (error) {
    return unreadable(path, reasonOf(error));
  }

  const stream = () => readLines(createReadStream(file, { signal }));
  // A pipe can be read once only.
  const kept: string[] = [];
  const badLines: BadLine[] = [];
  const wrong: string[] = [];
  let number = 0;
  let total = 0;
  try {
    for await (const line of stream()) {
      number += 1;
      if (!isFile) kept.push(line);
      const read = readTaskLine(line, { path, number }, options);
      if (read.type === 'item') total += 1;
      if (read.type !== 'bad') continue;
      badLines.push(read);
      if (!keepsGoing) wrong.push(read.message);
    }
  } catch (error) {
    if (signal.aborted) return { type: 'aborted' };
    wrong.push(`${path}:${number + 1}: ${reasonOf(error)}`);
  }
  if (wrong.length > 0) return refusal(path, wrong);
  if (total === 0 && badLines.length === 0) {
    const messages = [`nothing to run: ${path} holds no task`];
    return { type: 'refused', exitCode: 1, messages };
  }
  const lines = isFile ? stream : () => kept;
  const items = () => itemsOf(path, lines, { ...options, maxLines: number, badLines });
  return { type: 'ready', total, badLines, isOneAnswer: false, items };
}

/** Lines that came after the check are left alone; one that has changed since then is checked anew. */
async function* itemsOf(
  path: string,
  lines: () => AsyncIterable<string> | Iterable<string>,
  options: JobInputOptions & { readonly maxLines: number; readonly badLines: readonly BadLine[] },
): AsyncGenerator<JobItem, void, undefined> {
  const known = new Set(options.badLines.map((line) => line.number));
  let number = 0;
  try {
    for await (const line of lines()) {
      number += 1;
      if (number > options.maxLines) return;
      if (known.has(number)) continue;
      const read = readTaskLine(line, { path, number }, options);
      if (read.type === 'bad') throw new Error(`${read.message} (the file has changed)`);
      if (read.type === 'item') yield read.item;
    }
  } catch (error) {
    // An interrupted job reads no further.
    if (!options.signal.aborted) throw error;
  }
}

function unreadable(path: string, why: string): OpenJob {
  return { type: 'refused', exitCode: 2, messages: [`${path} cannot be read: ${why}`] };
}

function refusal(path: string, wrong: readonly string[]): OpenJob {
  const more = wrong.length - maxNamed;
  const messages = [
    ...wrong.slice(0, maxNamed),
    ...(more > 0 ? [`${path}: ${plural(more, 'more line')} of this kind`] : []),
    `${path} has ${plural(wrong.length, 'line')} that cannot be run: nothing was started`,
  ];
  return { type: 'refused', exitCode: 2, messages };
}
