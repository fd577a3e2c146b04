// Owns where the records of a job go: a file that is opened before anything starts, or a stream. One line per outcome as it
// comes, nothing kept back.
import {
  closeSync,
  createReadStream,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readLines } from './lines.ts';
import type { Output } from './output.ts';
import type { ResultRecord } from './record.ts';

export interface Results {
  /** Records that are there. */
  readonly written: number;
  /** Throws when the record is not there afterwards; then no later one is either. */
  append(record: ResultRecord): void;
  /** Idempotent. */
  close(): void;
}

/**
 * Creates the file at once, or replaces it when it may. Lines are written synchronously: a result that was reported is in
 * the file, however the process ends, and one short write per run costs less than a run does. What a failed write has left
 * of a line is cut off again. Throws the file system's error.
 */
export class ResultsFile implements Results {
  readonly #descriptor: number;
  #isOpen = true;
  #failure: { readonly error: unknown } | null = null;
  #written = 0;
  #bytes = 0;

  constructor(path: string, { overwrite }: { readonly overwrite: boolean }) {
    this.#descriptor = overwrite ? openSync(path, 'w') : openNew(path);
  }

  get written(): number {
    return this.#written;
  }

  append(record: ResultRecord): void {
    if (this.#failure !== null) throw this.#failure.error;
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    try {
      writeFileSync(this.#descriptor, line);
    } catch (error) {
      this.#failure = { error };
      if (fstatSync(this.#descriptor).isFile()) ftruncateSync(this.#descriptor, this.#bytes);
      throw error;
    }
    this.#bytes += line.length;
    this.#written += 1;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}

/** Records on a stream whose reader may leave. */
export class ResultsStream implements Results {
  readonly #output: Output;
  #written = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  get written(): number {
    return this.#written;
  }

  append(record: ResultRecord): void {
    if (this.#output.isGone) throw new Error('its reader is gone');
    this.#output.line(JSON.stringify(record));
    this.#written += 1;
  }

  close(): void {}
}

/** Whether the file contains the results of an earlier job, judged by its first line. */
export async function hasResults(path: string): Promise<boolean> {
  for await (const line of readLines(createReadStream(path))) return isRecord(line);
  return true;
}

function isRecord(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'taskId' in value && 'status' in value;
  } catch {
    // No JSON is no record.
    return false;
  }
}

function openNew(path: string): number {
  // A device or a pipe contains nothing that could be lost; a folder is refused by the file system.
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) return openSync(path, 'w');
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error('it exists already; name another file, or give --overwrite to replace it');
  }
}
