// Owns what a resumed job finds in its file of results: which tasks are completed, and where the whole lines end.
import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { normalize } from 'node:path';
import { isRecord } from '../base/is-record.ts';
import { readLines } from './lines.ts';
import type { JobItem, ReadyJob } from './open-job.ts';

export type EarlierResults = {
  /** Records that are there. */
  readonly count: number;
  /** The length of the whole lines; behind them is at most a part of one, left by a process that was ended. */
  readonly bytes: number;
  /** How often each task is completed there, by its input, its line and its goal. */
  readonly completed: ReadonlyMap<string, number>;
  /** The same for those that have ended in whatever way. */
  readonly ended: ReadonlyMap<string, number>;
  /** The ids of what agents delegated. */
  readonly below: ReadonlySet<string>;
  /** What all of it has cost, as far as prices are known. */
  readonly costUsd: number;
};

export const noEarlierResults: EarlierResults = {
  count: 0,
  bytes: 0,
  completed: new Map(),
  ended: new Map(),
  below: new Set(),
  costUsd: 0,
};
const chunkBytes = 65_536;
const newline = 0x0a;
/** How a record begins. */
const firstField = '{"input":';

/** Reads a file of results; one that is not there is empty. Throws an error that says which line is no record. */
export async function readEarlierResults(path: string): Promise<EarlierResults> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return noEarlierResults;
  const bytes = wholeLinesOf(path);
  if (bytes === 0 && !isPartOfRecord(path)) throw new Error('it has no result of a job');
  if (bytes === 0) return noEarlierResults;
  const completed = new Map<string, number>();
  const ended = new Map<string, number>();
  const below = new Set<string>();
  let costUsd = 0;
  let count = 0;
  let number = 0;
  for await (const line of readLines(createReadStream(path, { end: bytes - 1 }))) {
    number += 1;
    if (line.trim() === '') continue;
    count += 1;
    const record = recordIn(line);
    if (record === null) throw new Error(`its line ${number} is no result of a job`);
    // What an agent delegated is part of the task above it.
    if (record['parentTaskId'] !== null) {
      below.add(String(record['taskId']));
      continue;
    }
    costUsd += costOf(record);
    const key = keyOf(record['input'], record['line'], record['goal']);
    for (const counts of record['status'] === 'completed' ? [completed, ended] : [ended]) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return { count, bytes, completed, ended, below, costUsd };
}

/** Whether the file contains the results of an earlier job, judged by its first line. */
export async function hasResults(path: string): Promise<boolean> {
  for await (const line of readLines(createReadStream(path))) return recordIn(line) !== null;
  return true;
}

/**
 * The job without the tasks and the bad lines that are done; a task that is there twice is left out as often as it is done.
 */
export async function withoutDone(
  whole: ReadyJob,
  done: ReadonlyMap<string, number>,
): Promise<ReadyJob> {
  if (done.size === 0) return whole;
  const badLines = (whole.badLines ?? []).filter(
    ({ input, number, goal }) => !done.has(keyOf(input, number, goal)),
  );
  const items = () => remaining(whole.items(), done);
  let total = 0;
  for await (const _ of items()) total += 1;
  return { ...whole, badLines, total, items };
}

async function* remaining(
  items: AsyncIterable<JobItem> | Iterable<JobItem>,
  done: ReadonlyMap<string, number>,
): AsyncGenerator<JobItem, void, undefined> {
  const left = new Map(done);
  for await (const item of items) {
    const key = keyOf(item.input, item.line, item.task.goal);
    const times = left.get(key) ?? 0;
    if (times === 0) yield item;
    else left.set(key, times - 1);
  }
}

/** Tasks of one goal differ in other fields: the line of its file says which is meant. */
export function keyOf(input: unknown, line: unknown, goal: unknown): string {
  return JSON.stringify([typeof input === 'string' ? normalize(input) : input, line, goal]);
}

function costOf({ usage }: Readonly<Record<string, unknown>>): number {
  const subtree = isRecord(usage) ? usage['subtree'] : null;
  const cost = isRecord(subtree) ? subtree['costUsd'] : null;
  return typeof cost === 'number' ? cost : 0;
}

function recordIn(line: string): Readonly<Record<string, unknown>> | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // No JSON is no record.
    return null;
  }
  return isRecord(value) && 'taskId' in value && 'status' in value ? value : null;
}

/** Whether a file without a line end is empty, or has what a job that was ended has begun to write. */
function isPartOfRecord(path: string): boolean {
  const head = Buffer.alloc(firstField.length);
  const descriptor = openSync(path, 'r');
  try {
    const length = readSync(descriptor, head, 0, head.length, 0);
    return firstField.startsWith(head.toString('utf8', 0, length));
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a file up to its last line end. */
function wholeLinesOf(path: string): number {
  const descriptor = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let end = fstatSync(descriptor).size; end > 0; end -= chunkBytes) {
      const start = Math.max(0, end - chunkBytes);
      const length = readSync(descriptor, chunk, 0, end - start, start);
      const found = chunk.subarray(0, length).lastIndexOf(newline);
      if (found !== -1) return start + found + 1;
    }
    return 0;
  } finally {
    closeSync(descriptor);
  }
}
