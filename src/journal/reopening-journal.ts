// Owns a journal that outlives its writer: what could not be written is written again, in order, by the next one (J3).
import type { CancelTimer, Clock } from '../base/clock.ts';
import { type Failure, TroupeError, toFailure } from '../base/failures.ts';
import type { JournalContents, JournalRecord, Kept, KeptTask } from './records.ts';
import { SqliteJournal, type SqliteJournalOptions } from './sqlite-journal.ts';

export type ReopeningJournalOptions = SqliteJournalOptions & { readonly clock: Clock };

type Unwritten = {
  readonly records: readonly JournalRecord[];
  readonly resolve: () => void;
  readonly reject: (error: TroupeError) => void;
};

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

export class ReopeningJournal {
  readonly contents: JournalContents;
  readonly #options: ReopeningJournalOptions;
  /** Null while there is none. */
  #writer: SqliteJournal | null;
  /** In the order of writing. */
  readonly #unwritten = new Set<Unwritten>();
  #failure: Failure | null = null;
  #delayMs = firstDelayMs;
  #cancel: CancelTimer = () => {};
  #isOver = false;
  #onChange: (failure: Failure | null) => void = () => {};

  /** Throws as `SqliteJournal.open` does: only a journal that was open once is opened again. */
  constructor(options: ReopeningJournalOptions) {
    this.#options = options;
    this.#writer = SqliteJournal.open(options);
    this.contents = this.#writer.contents;
  }

  /** Calls `listener` when nothing can be written any more, with why, and with null when it can be again. */
  onChange(listener: (failure: Failure | null) => void): void {
    this.#onChange = listener;
  }

  /** Resolves when the records are durable, after all that were given before, however long that takes. Rejects after `giveUp`. */
  append(records: readonly JournalRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const unwritten: Unwritten = { records, resolve, reject };
      if (this.#isOver) reject(this.#error);
      else {
        this.#unwritten.add(unwritten);
        if (this.#writer !== null) this.#send(this.#writer, unwritten);
      }
    });
  }

  /** Rejects `journal_failed` while there is no writer. */
  load(taskId: string): Promise<Kept<KeptTask> | null> {
    return this.#writer?.load(taskId) ?? Promise.reject(this.#error);
  }

  /** Where it cannot write, nothing more is tried: what waits is rejected. */
  giveUp(): void {
    if (this.#failure === null) return;
    this.#isOver = true;
    this.#cancel();
    for (const { reject } of this.#unwritten) reject(this.#error);
    this.#unwritten.clear();
  }

  /** Writes what was given, and gives the file up. Rejects `shutdown_timeout`. */
  async close(): Promise<void> {
    this.giveUp();
    this.#isOver = true;
    await this.#writer?.close();
  }

  get #error(): TroupeError {
    if (this.#failure !== null) return TroupeError.from(this.#failure);
    return new TroupeError('closed', 'the journal is closed');
  }

  #send(writer: SqliteJournal, unwritten: Unwritten): void {
    writer.append(unwritten.records).then(
      () => {
        this.#unwritten.delete(unwritten);
        unwritten.resolve();
      },
      (thrown: unknown) => this.#lose(writer, toFailure(thrown, 'journal_failed')),
    );
  }

  #lose(writer: SqliteJournal, failure: Failure): void {
    if (this.#writer !== writer) return;
    this.#writer = null;
    this.#failure = failure;
    if (this.#isOver) {
      this.giveUp();
      return;
    }
    this.#onChange(failure);
    this.#openLater();
  }

  #openLater(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(this.#delayMs, () => void this.#open());
    this.#delayMs = Math.min(maxDelayMs, this.#delayMs * 2);
  }

  async #open(): Promise<void> {
    let writer: SqliteJournal;
    try {
      writer = await SqliteJournal.openLater(this.#options);
    } catch (thrown) {
      this.#failure = toFailure(thrown, 'journal_failed');
      if (!this.#isOver) this.#openLater();
      return;
    }
    if (this.#isOver) {
      await writer.close();
      return;
    }
    this.#writer = writer;
    this.#failure = null;
    this.#delayMs = firstDelayMs;
    for (const unwritten of this.#unwritten) this.#send(writer, unwritten);
    this.#onChange(null);
  }
}
