// Owns where the records of a job go: a file that is opened before anything starts, or a stream. One line per outcome as it
// comes, nothing kept back.
import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeFileSync } from 'node:fs';
import type { EarlierResults } from './earlier-results.ts';
import type { Output } from './output.ts';
import type { ResultRecord } from './record.ts';
import type { RunOptions } from './run-options.ts';

export interface Results {
  /** Records that are there. */
  readonly written: number;
  /** Throws when the record is not there afterwards; then no later one is either. */
  append(record: ResultRecord): void;
  /** Idempotent. */
  close(): void;
}

type ExistingFile = {
  readonly existing: RunOptions['existing'];
  readonly onto: Pick<EarlierResults, 'count' | 'bytes'>;
};

/**
 * Creates the file at once, or replaces it or adds to it when it may. Lines are written synchronously, each before the next
 * result is looked at: one short write per run costs less than a run does. What a failed write has left of a line is cut off
 * again. Throws the file system's error.
 */
export class ResultsFile implements Results {
  readonly #descriptor: number;
  #isOpen = true;
  #failure: { readonly error: unknown } | null = null;
  #written = 0;
  #bytes = 0;

  /** `onto`: the whole lines of an earlier job, which stay. */
  constructor(path: string, { existing, onto }: ExistingFile) {
    if (existing === 'resume') {
      this.#descriptor = openSync(path, 'a');
      if (fstatSync(this.#descriptor).isFile()) ftruncateSync(this.#descriptor, onto.bytes);
      this.#bytes = onto.bytes;
      this.#written = onto.count;
    } else this.#descriptor = existing === 'overwrite' ? openSync(path, 'w') : openNew(path);
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

function openNew(path: string): number {
  // A device or a pipe contains nothing that could be lost; a folder is refused by the file system.
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) return openSync(path, 'w');
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(
      'it exists already; name another file, or give --resume to go on with it or --overwrite to replace it',
    );
  }
}
