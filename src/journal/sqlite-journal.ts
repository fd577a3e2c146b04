// Owns a journal as the host has it: records go to its thread in order, and each is acknowledged once it is durable.
import { type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { describe, type Failure, failure, TroupeError, unreachable } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import type { FromJournal, ToJournal } from './journal-messages.ts';
import { JournalThread, type SqliteJournalOptions } from './journal-thread.ts';
import type {
  JournalContents,
  JournalRecord,
  Kept,
  KeptAgent,
  KeptSession,
  KeptTask,
} from './records.ts';

/** For its thread to begin. */
const startMs = 15_000;
/** Longer than a full disk or a large log takes. */
const openMs = 60_000;
const closeMs = 60_000;
/** For one session, or agent: the host waits. */
const readMs = 5_000;

/** What the host waits for. */
type ReadAnswer = Extract<FromJournal, { readonly type: 'session_loaded' | 'agent_loaded' }>;

type Pending<Value> = {
  readonly number: number;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: TroupeError) => void;
};

export class SqliteJournal {
  /** What the file had when it was opened. */
  readonly contents: JournalContents;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** In the order of writing. */
  #appends: Pending<void>[] = [];
  readonly #loads: Pending<Kept<KeptTask> | null>[] = [];
  readonly #agentLoads: Pending<Kept<KeptAgent> | null>[] = [];
  readonly #progress: Int32Array;
  /** The request that is waited for, or was last. */
  #awaited = 0;
  #answer: ReadAnswer | null = null;
  #last = 0;
  #failure: Failure | null = null;
  #isClosing = false;
  readonly #ended: Promise<void>;
  readonly #onPruned: (taskIds: readonly string[]) => void;

  private constructor(
    { worker, port, progress }: JournalThread,
    contents: JournalContents,
    onPruned: (taskIds: readonly string[]) => void = () => {},
  ) {
    this.#onPruned = onPruned;
    this.#worker = worker;
    this.#port = port;
    this.#progress = progress;
    this.contents = contents;
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    const lost = (why: string): void => {
      this.#receiveWaiting();
      this.#fail(failure('journal_failed', `the thread of the journal ended: ${why}`), 0);
    };
    worker.once('error', (error) => lost(error.message));
    worker.once('exit', (code) => lost(`exit code ${code}`));
    port.on('message', (message: FromJournal) => this.#receive(message));
    this.#setWaiting();
  }

  /**
   * Opens the file for this process alone, and waits for that: what a supervisor is made of has to be known before it takes
   * anything. Throws as `JournalStore.open` rejects.
   */
  static open(options: SqliteJournalOptions): SqliteJournal {
    const opening = new JournalThread(options, true);
    // A thread that cannot be loaded says so to the loop of this one, which waits.
    if (Atomics.wait(opening.progress, 0, 0, startMs) !== 'timed-out') {
      Atomics.wait(opening.progress, 0, 1, openMs);
    }
    const first = receiveMessageOnPort(opening.port)?.message as FromJournal | undefined;
    return SqliteJournal.#opened(opening, options, first);
  }

  /** The same again, after this process has had it open, without waiting for it. */
  static async openLater(options: SqliteJournalOptions): Promise<SqliteJournal> {
    const opening = new JournalThread(options, false);
    const first = new Promise<FromJournal | undefined>((resolve) => {
      opening.port.once('message', resolve);
      opening.worker.once('error', () => resolve(undefined));
    });
    const isThere = await resolvedWithin(first, { clock: systemClock, timeoutMs: openMs });
    return SqliteJournal.#opened(opening, options, isThere ? await first : undefined);
  }

  static #opened(
    opening: JournalThread,
    { path, onPruned }: SqliteJournalOptions,
    first: FromJournal | undefined,
  ): SqliteJournal {
    if (first?.type === 'opened') return new SqliteJournal(opening, first.contents, onPruned);
    const { worker, port, progress, fault } = opening;
    // A thread in a call of the store is not ended: that could leave half a page behind.
    port.close();
    worker.unref();
    if (first?.type === 'failed') throw TroupeError.from(first.failure);
    const what =
      progress[0] === 0
        ? `its thread did not begin within ${startMs} ms`
        : `it did not open within ${openMs} ms`;
    throw new TroupeError('journal_failed', `${path}: ${fault ?? what}`);
  }

  /** Why nothing can be written any more; null while it can. */
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Resolves when the records are durable, after all that were given before. Rejects `journal_failed`, and `closed`. */
  append(records: readonly JournalRecord[]): Promise<void> {
    return this.#ask(this.#appends, (number) => ({ type: 'append', number, records }));
  }

  /** A task with what its run has committed, all that was given to `append` before included. Rejects as `append` does. */
  load(taskId: string): Promise<Kept<KeptTask> | null> {
    return this.#ask(this.#loads, (request) => ({ type: 'load', request, taskId }));
  }

  /** The same for a persistent agent, with its messages or without. */
  loadAgent(name: string, isWhole: boolean): Promise<Kept<KeptAgent> | null> {
    const ask = (request: number): ToJournal => ({ type: 'load_agent', request, name, isWhole });
    return this.#ask(this.#agentLoads, ask);
  }

  /** The same; waits for it. Throws `journal_failed` and `closed`. */
  readAgent(name: string): Kept<KeptAgent> | null {
    const what = `the memory of ${describe(name)}`;
    const about = { type: 'load_agent', name, isWhole: true } as const;
    return this.#read('agent_loaded', what, (request) => ({ ...about, request })).kept;
  }

  /**
   * A session, all that was given to `append` before included. Waits for it: a session is made at the call. Throws `journal_failed`
   * and `closed`.
   */
  readSession(sessionId: string): KeptSession {
    const what = `session ${describe(sessionId)}`;
    const ask = (request: number): ToJournal => ({ type: 'load_session', request, sessionId });
    const { kept } = this.#read('session_loaded', what, ask);
    if ('code' in kept) throw TroupeError.from(kept);
    return kept;
  }

  #read<Type extends ReadAnswer['type']>(
    type: Type,
    what: string,
    messageOf: (request: number) => ToJournal,
  ): Extract<ReadAnswer, { readonly type: Type }> {
    this.#mustBeOpen();
    this.#last += 1;
    const request = this.#last;
    this.#post(messageOf(request));
    this.#awaited = request;
    const deadline = systemClock.now() + readMs;
    for (;;) {
      const seen = Atomics.load(this.#progress, 0);
      this.#receiveWaiting();
      const answer = this.#answer;
      if (answer?.type === type) {
        this.#answer = null;
        return answer as Extract<ReadAnswer, { readonly type: Type }>;
      }
      if (this.#failure !== null) throw TroupeError.from(this.#failure);
      const leftMs = deadline - systemClock.now();
      if (leftMs <= 0 || Atomics.wait(this.#progress, 0, seen, leftMs) === 'timed-out') {
        const why = `${what} could not be read within ${readMs} ms`;
        throw new TroupeError('journal_failed', why, { retryable: true });
      }
    }
  }

  /** Writes what was given, and gives the file up. Idempotent; resolves when its thread has ended. Rejects `shutdown_timeout`. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#failure === null) {
      this.#isClosing = true;
      this.#post({ type: 'close' });
    }
    this.#isClosing = true;
    this.#setWaiting();
    const limits = { clock: systemClock, timeoutMs: closeMs };
    if (await resolvedWithin(this.#ended, limits)) {
      this.#port.close();
      return;
    }
    throw new TroupeError('shutdown_timeout', `the journal did not close within ${closeMs} ms`);
  }

  #ask<Value>(pending: Pending<Value>[], messageOf: (number: number) => ToJournal): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#mustBeOpen();
      this.#last += 1;
      const number = this.#last;
      this.#post(messageOf(number));
      pending.push({ number, resolve, reject });
      this.#setWaiting();
    });
  }

  #mustBeOpen(): void {
    if (this.#failure !== null) throw TroupeError.from(this.#failure);
    if (this.#isClosing) throw new TroupeError('closed', 'the journal is closed');
  }

  #post(message: ToJournal): void {
    this.#port.postMessage(message);
  }

  /** It keeps no process alive; what waits for it does. */
  #setWaiting(): void {
    if (this.#isClosing || this.#isAsked) {
      this.#worker.ref();
      this.#port.ref();
    } else {
      this.#worker.unref();
      this.#port.unref();
    }
  }

  get #isAsked(): boolean {
    return this.#appends.length > 0 || this.#loads.length > 0 || this.#agentLoads.length > 0;
  }

  /** Takes what has come and was not read: by a host that waits, or from a thread whose end may overtake its last messages. */
  #receiveWaiting(): void {
    const port = this.#port;
    for (let next = receiveMessageOnPort(port); next !== undefined; ) {
      this.#receive(next.message);
      next = receiveMessageOnPort(port);
    }
  }

  #receive(message: FromJournal): void {
    switch (message.type) {
      case 'committed':
        while ((this.#appends[0]?.number ?? Infinity) <= message.upTo)
          this.#appends.shift()?.resolve();
        break;
      case 'loaded':
        answered(this.#loads, message.request)?.resolve(message.kept);
        break;
      case 'agent_loaded':
        this.#keepAnswer(message);
        answered(this.#agentLoads, message.request)?.resolve(message.kept);
        break;
      case 'session_loaded':
        this.#keepAnswer(message);
        break;
      case 'failed':
        this.#fail(message.failure, message.from);
        break;
      case 'pruned':
        this.#onPruned(message.taskIds);
        break;
      case 'opened':
      case 'closed':
        break;
      default:
        unreachable(message);
    }
    this.#setWaiting();
  }

  #keepAnswer(answer: ReadAnswer): void {
    if (answer.request === this.#awaited) this.#answer = answer;
  }

  /** What was given before `from` is durable; the rest is not, and what waits for it is rejected. */
  #fail(why: Failure, from: number): void {
    if (this.#isClosing && !this.#isAsked) return;
    this.#failure ??= why;
    const error = TroupeError.from(this.#failure);
    const lost = this.#appends.filter(({ number }) => number >= from);
    this.#appends = this.#appends.filter(({ number }) => number < from);
    const unanswered = [...this.#loads.splice(0), ...this.#agentLoads.splice(0)];
    for (const { reject } of [...lost, ...unanswered]) reject(error);
  }
}

/** Takes the request that has its answer. */
function answered<Value>(pending: Pending<Value>[], request: number): Pending<Value> | undefined {
  const at = pending.findIndex(({ number }) => number === request);
  return at < 0 ? undefined : pending.splice(at, 1)[0];
}
