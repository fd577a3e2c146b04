// Owns a journal as the host has it: records go to its thread in order, and each is acknowledged once it is durable.
import { Worker } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { type Failure, failure, TroupeError, unreachable } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import type { FromJournal, JournalThreadData, ToJournal } from './journal-messages.ts';
import type { JournalRecord } from './records.ts';
import type { Durability, JournalStats } from './store.ts';

export type SqliteJournalOptions = {
  readonly path: string;
  /** Default `machine`. */
  readonly durability?: Durability;
  /** The thread entry of a service that is bundled. */
  readonly workerUrl?: URL | undefined;
};

/** Longer than a full disk or a large log takes. */
const openMs = 60_000;
const closeMs = 60_000;

type Waiting = {
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (error: TroupeError) => void;
};

export class SqliteJournal {
  /** What the file had when it was opened. */
  readonly found: JournalStats;
  readonly #worker: Worker;
  /** In the order of writing. */
  #waiting: Waiting[] = [];
  #last = 0;
  #failure: Failure | null = null;
  #isClosing = false;
  readonly #ended: Promise<void>;

  private constructor(worker: Worker, found: JournalStats, ended: Promise<void>) {
    this.#worker = worker;
    this.found = found;
    this.#ended = ended;
  }

  /** Rejects as `JournalStore.open` does. */
  static async open({
    path,
    durability = 'machine',
    workerUrl,
  }: SqliteJournalOptions): Promise<SqliteJournal> {
    const url = workerUrl ?? new URL('../../workers/journal.js', import.meta.url);
    const data: JournalThreadData = { role: 'journal', path, durability };
    const worker = new Worker(url, { workerData: data, name: 'troupe-journal', env: {} });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    let journal: SqliteJournal | null = null;
    const opened = new Promise<SqliteJournal>((resolve, reject) => {
      worker.on('message', (message: FromJournal) => {
        if (journal !== null) journal.#receive(message);
        else if (message.type === 'opened') {
          journal = new SqliteJournal(worker, message.stats, ended);
          // It keeps no process alive; what waits for it does.
          worker.unref();
          resolve(journal);
        } else if (message.type === 'failed') reject(TroupeError.from(message.failure));
      });
      const lost = (why: string): void => {
        const error = failure('journal_failed', `the thread of the journal ended: ${why}`);
        if (journal === null) reject(TroupeError.from(error));
        else journal.#fail(error, 0);
      };
      worker.once('error', (error) => lost(error.message));
      worker.once('exit', (code) => lost(`exit code ${code}`));
    });
    if (await resolvedWithin(opened, { clock: systemClock, timeoutMs: openMs })) return opened;
    // A thread in a call of the store is not ended: that could leave half a page behind.
    throw new TroupeError('journal_failed', `${path}: it did not open within ${openMs} ms`);
  }

  /** Why nothing can be written any more; null while it can. */
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Resolves when the records are durable, after all that were given before. Rejects `journal_failed`, and `closed`. */
  append(records: readonly JournalRecord[]): Promise<void> {
    if (this.#failure !== null) return Promise.reject(TroupeError.from(this.#failure));
    if (this.#isClosing) return Promise.reject(new TroupeError('closed', 'the journal is closed'));
    this.#last += 1;
    const number = this.#last;
    this.#post({ type: 'append', number, records });
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#worker.ref();
      this.#waiting.push({ number, resolve, reject });
    });
  }

  /** Writes what was given, and gives the file up. Idempotent; resolves when its thread has ended. Rejects `shutdown_timeout`. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#failure === null) {
      this.#worker.ref();
      this.#post({ type: 'close' });
    }
    this.#isClosing = true;
    const limits = { clock: systemClock, timeoutMs: closeMs };
    if (await resolvedWithin(this.#ended, limits)) return;
    throw new TroupeError('shutdown_timeout', `the journal did not close within ${closeMs} ms`);
  }

  #post(message: ToJournal): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromJournal): void {
    switch (message.type) {
      case 'committed':
        while ((this.#waiting[0]?.number ?? Infinity) <= message.upTo)
          this.#waiting.shift()?.resolve();
        if (this.#waiting.length === 0 && !this.#isClosing) this.#worker.unref();
        return;
      case 'failed':
        this.#fail(message.failure, message.from);
        return;
      case 'opened':
      case 'closed':
        return;
      default:
        unreachable(message);
    }
  }

  /** What was given before `from` is durable; the rest is not, and is told so. */
  #fail(why: Failure, from: number): void {
    if (this.#isClosing && this.#waiting.length === 0) return;
    this.#failure ??= why;
    const lost = this.#waiting.filter(({ number }) => number >= from);
    this.#waiting = this.#waiting.filter(({ number }) => number < from);
    for (const { reject } of lost) reject(TroupeError.from(why));
  }
}
