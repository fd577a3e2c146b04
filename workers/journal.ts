// Owns the thread entry of a journal: it writes what is there whenever it is free, one transaction for all. A store that failed is
// never written to again: what its last commit left on the disk is not known.
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type CancelTimer, systemClock } from '../src/base/clock.ts';
import { type Failure, toFailure, unreachable } from '../src/base/failures.ts';
import type { FromJournal, JournalThreadData, ToJournal } from '../src/journal/journal-messages.ts';
import type { Kept, KeptSession } from '../src/journal/records.ts';
import { Forgetting } from '../src/journal/retention.ts';
import { JournalStore } from '../src/journal/store.ts';

// Node announces on the console of the program that its SQLite is new.
process.removeAllListeners('warning');
void serve(workerData as JournalThreadData);

async function serve(data: JournalThreadData): Promise<void> {
  const { path, durability, retention, isNewLife, port, progress } = data;
  advance(progress, 1);
  const ready = (message: FromJournal): void => {
    port.postMessage(message);
    advance(progress, 2);
  };
  try {
    const store = await JournalStore.open(path, durability);
    const forgetting = new Forgetting(store, retention, systemClock);
    forgetting.step();
    if (isNewLife) store.risks.beginLife();
    ready({ type: 'opened', contents: store.contents() });
    const writer = new Writer(store, forgetting, data);
    port.on('message', (first: ToJournal) => writer.take([first, ...waitingOn(port)]));
  } catch (thrown) {
    ready({ type: 'failed', from: 1, failure: toFailure(thrown, 'journal_failed') });
  }
}

/** The host waits on this word. */
function advance(progress: Int32Array, to: number): void {
  Atomics.store(progress, 0, to);
  Atomics.notify(progress, 0);
}

/** So often it is looked for what need not be kept, where nothing is written. */
const idleMs = 60_000;

class Writer {
  readonly #store: JournalStore;
  readonly #forgetting: Forgetting;
  readonly #port: MessagePort;
  readonly #progress: Int32Array;
  #lastWritten = 0;
  #isOver = false;
  #cancelForgetting: CancelTimer = () => {};

  constructor(
    store: JournalStore,
    forgetting: Forgetting,
    { port, progress }: Pick<JournalThreadData, 'port' | 'progress'>,
  ) {
    this.#store = store;
    this.#forgetting = forgetting;
    this.#port = port;
    this.#progress = progress;
    this.#forgetLater(0);
  }

  /** What came meanwhile goes together; a reader sees what was given before it, and nothing later. */
  take(group: readonly ToJournal[]): void {
    if (this.#isOver) return;
    try {
      let appends: Append[] = [];
      for (const message of group) {
        if (message.type === 'append') appends.push(message);
        else {
          this.#write(appends);
          appends = [];
          this.#answer(message);
        }
      }
      this.#write(appends);
      if (group.some(({ type }) => type === 'close')) this.#close();
      else this.#forget();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #write(appends: readonly Append[]): void {
    const last = appends.at(-1);
    if (last === undefined) return;
    this.#store.commit(appends.flatMap(({ records }) => records));
    this.#lastWritten = last.number;
    this.#post({ type: 'committed', upTo: last.number });
  }

  #answer(message: Exclude<ToJournal, Append>): void {
    switch (message.type) {
      case 'load': {
        const { request, taskId } = message;
        const kept = keptBy(() => this.#store.load(taskId));
        this.#post({ type: 'loaded', request, kept });
        break;
      }
      case 'load_agent': {
        const { request, name, isWhole } = message;
        const kept = keptBy(() => this.#store.agents.load(name, isWhole));
        this.#post({ type: 'agent_loaded', request, kept });
        this.#wake();
        break;
      }
      case 'load_session': {
        const { request, sessionId } = message;
        this.#post({ type: 'session_loaded', request, kept: this.#sessionBy(sessionId) });
        this.#wake();
        break;
      }
      case 'close':
        break;
      default:
        unreachable(message);
    }
  }

  #sessionBy(sessionId: string): KeptSession | Failure {
    try {
      return this.#store.sessions.load(sessionId);
    } catch (thrown) {
      return toFailure(thrown, 'journal_failed');
    }
  }

  /** One piece; the rest once what came meanwhile is written. */
  #forget(): void {
    const { taskIds, isMore } = this.#forgetting.step();
    if (taskIds.length > 0) this.#post({ type: 'pruned', taskIds });
    this.#forgetLater(isMore ? 0 : idleMs);
  }

  #forgetLater(delayMs: number): void {
    this.#cancelForgetting();
    this.#cancelForgetting = systemClock.after(delayMs, () => this.take([]));
  }

  #close(): void {
    this.#end();
    this.#store.risks.endLife();
    this.#store.close();
    this.#post({ type: 'closed' });
    this.#port.close();
  }

  #fail(thrown: unknown): void {
    this.#end();
    const failure = toFailure(thrown, 'journal_failed');
    this.#post({ type: 'failed', from: this.#lastWritten + 1, failure });
    this.#store.abandon();
    this.#wake();
    this.#port.close();
  }

  #end(): void {
    this.#isOver = true;
    this.#cancelForgetting();
  }

  #post(message: FromJournal): void {
    this.#port.postMessage(message);
  }

  /** For a host that waits for an answer. */
  #wake(): void {
    advance(this.#progress, Atomics.load(this.#progress, 0) + 1);
  }
}

type Append = Extract<ToJournal, { readonly type: 'append' }>;

/** What cannot be read of a task, or of an agent, is said of that alone. */
function keptBy<Value>(load: () => Kept<Value> | null): Kept<Value> | null {
  try {
    return load();
  } catch (thrown) {
    return { isDamaged: true, why: toFailure(thrown).message };
  }
}

/** What came while the last group was written. */
function* waitingOn(port: MessagePort): Iterable<ToJournal> {
  for (
    let next = receiveMessageOnPort(port);
    next !== undefined;
    next = receiveMessageOnPort(port)
  ) {
    yield next.message;
  }
}
