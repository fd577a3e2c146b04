// Owns the file of results: opened before anything starts, one line per outcome as it comes, nothing kept back.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { ResultRecord } from './record.ts';

/**
 * Overwrites the file at once. Lines are written synchronously: a result that was reported is in the file, however the
 * process ends, and one short write per run costs less than a run does. Throws what the file system says.
 */
export class ResultsFile {
  readonly #descriptor: number;
  #isOpen = true;
  #written = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w');
  }

  /** Lines that are in the file. */
  get written(): number {
    return this.#written;
  }

  append(record: ResultRecord): void {
    writeFileSync(this.#descriptor, `${JSON.stringify(record)}\n`);
    this.#written += 1;
  }

  /** Idempotent. */
  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}
