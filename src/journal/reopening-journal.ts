// Owns a journal that outlives its writer: what could not be written is written again, in order, by the next one (J3).
import type { CancelTimer, Clock } from '../base/clock.ts';
import { type Failure, TroupeError, toFailure } from '../base/failures.ts';
import type { SqliteJournalOptions } from './journal-thread.ts';
import type {
  JournalContents,
  JournalRecord,
  Kept,
  KeptAgent,
  KeptSession,
  KeptTask,
} from './records.ts';
import { SqliteJournal } from './sqlite-journal.ts';

export type ReopeningJournalOptions = Omit<SqliteJournalOptions, 'onPruned'> & {
  readonly clock: Clock;
};

/** What its writer was asked for, and has not done. */
type Pending = {
  readonly send: (writer: SqliteJournal) => Promise<void>;
  readonly reject: (error: TroupeError) => void;
};

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

export class ReopeningJournal {
  readonly contents: JournalContents;
  readonly #options: ReopeningJournalOptions & SqliteJournalOptions;
  /** Null while there is none. */
  #writer: SqliteJournal | null;
  /** In their order. */
  readonly #pending = new Set<Pending>();
  #failure: Failure | null = null;
  #delayMs = firstDelayMs;
  #cancel: CancelTimer = () => {};
  /** The opening that is on; resolves when it is over. */
  #opening: Promise<void> = Promise.resolve();
  #isOver = false;
  #onChange: (failure: Failure | null) => void = () => {};
  #onPruned: (taskIds: readonly string[]) => void = () => {};

  /** Throws as `SqliteJournal.open` does: only a journal that was open once is opened again. */
  constructor(options: ReopeningJournalOptions) {
    this.#options = { ...options, onPruned: (taskIds) => this.#onPruned(taskIds) };
    this.#writer = SqliteJournal.open(this.#options);
    this.contents = this.#writer.contents;
  }

  /** Calls `listener` when nothing can be written any more, with why, and with null when it can be again. */
  onChange(listener: (failure: Failure | null) => void): void {
    this.#onChange = listener;
  }

  /** Calls `listener` with ended tasks that are not kept any longer. */
  onPruned(listener: (taskIds: readonly string[]) => void): void {
    this.#onPruned = listener;
  }

  /** Resolves when the records are durable, after all that were given before, however long that takes. Rejects after `giveUp`. */
  append(records: readonly JournalRecord[]): Promise<void> {
    return this.#ask((writer) => writer.append(records));
  }

  /** A task as it is after all that was given before. Waits and rejects as `append` does. */
  load(taskId: string): Promise<Kept<KeptTask> | null> {
    return this.#ask((writer) => writer.load(taskId));
  }

  /** The same for a persistent agent, with its messages or without. */
  loadAgent(name: string, isWhole: boolean): Promise<Kept<KeptAgent> | null> {
    return this.#ask((writer) => writer.loadAgent(name, isWhole));
  }

  /** The same with its messages; waits for it. Throws what is wrong with the journal. */
  readAgent(name: string): Kept<KeptAgent> | null {
    return this.#writerNow.readAgent(name);
  }

  /** A session as it is after all that was given before; waits for it. Throws what is wrong with the journal. */
  readSession(sessionId: string): KeptSession {
    return this.#writerNow.readSession(sessionId);
  }

  /** Where it cannot write, nothing more is tried: what waits is rejected. */
  giveUp(): void {
    if (this.#failure === null) return;
    this.#isOver = true;
    this.#cancel();
    for (const { reject } of this.#pending) reject(this.#error);
    this.#pending.clear();
  }

  /** Writes what was given, and gives the file up. Rejects `shutdown_timeout`. */
  async close(): Promise<void> {
    this.giveUp();
    this.#isOver = true;
    this.#cancel();
    await this.#opening;
    await this.#writer?.close();
  }

  get #writerNow(): SqliteJournal {
    if (this.#writer === null || this.#isOver) throw this.#error;
    return this.#writer;
  }

  get #error(): TroupeError {
    if (this.#failure !== null) return TroupeError.from(this.#failure);
    return new TroupeError('closed', 'the journal is closed');
  }

  #ask<Value>(ask: (writer: SqliteJournal) => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const send = async (writer: SqliteJournal): Promise<void> => resolve(await ask(writer));
      const pending: Pending = { send, reject };
      if (this.#isOver) reject(this.#error);
      else {
        this.#pending.add(pending);
        if (this.#writer !== null) this.#send(this.#writer, pending);
      }
    });
  }

  #send(writer: SqliteJournal, pending: Pending): void {
    pending.send(writer).then(
      () => this.#pending.delete(pending),
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
    this.#cancel = clock.after(this.#delayMs, () => {
      this.#opening = this.#open();
    });
    this.#delayMs = Math.min(maxDelayMs, this.#delayMs * 2);
  }

  /** Never rejects. */
  async #open(): Promise<void> {
    let writer: SqliteJournal;
    try {
      writer = await SqliteJournal.openLater(this.#options);
    } catch (thrown) {
      this.#failure = toFailure(thrown, 'journal_failed');
      if (!this.#isOver) this.#openLater();
      return;
    }
    // Where the journal is over by now, `close` closes it.
    this.#writer = writer;
    if (this.#isOver) return;
    this.#failure = null;
    this.#delayMs = firstDelayMs;
    for (const pending of this.#pending) this.#send(writer, pending);
    this.#onChange(null);
  }
}
