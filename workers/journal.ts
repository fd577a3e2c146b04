// Owns the thread entry of a journal: it writes what is there whenever it is free, one transaction for all. A store that failed is
// never written to again: what its last commit left on the disk is not known.
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemClock } from '../src/base/clock.ts';
import { type Failure, toFailure } from '../src/base/failures.ts';
import type { FromJournal, JournalThreadData, ToJournal } from '../src/journal/journal-messages.ts';
import type { Kept, KeptSession } from '../src/journal/records.ts';
import { JournalStore } from '../src/journal/store.ts';

// Node announces on the console of the program that its SQLite is new.
process.removeAllListeners('warning');
void serve(workerData as JournalThreadData);

async function serve(data: JournalThreadData): Promise<void> {
  const { path, durability, outcomesMs, isNewLife, port, progress } = data;
  advance(progress, 1);
  const post = (message: FromJournal): void => port.postMessage(message);
  const ready = (message: FromJournal): void => {
    post(message);
    advance(progress, 2);
  };
  /** For a host that waits for an answer. */
  const wake = (): void => advance(progress, Atomics.load(progress, 0) + 1);
  let store: JournalStore;
  try {
    store = await JournalStore.open(path, durability);
    prune(store, outcomesMs);
    if (isNewLife) store.risks.beginLife();
    ready({ type: 'opened', contents: store.contents() });
  } catch (thrown) {
    ready({ type: 'failed', from: 1, failure: toFailure(thrown, 'journal_failed') });
    return;
  }
  port.on('message', (first: ToJournal) => {
    const group = [first, ...waitingOn(port)];
    const appends = group.filter((message) => message.type === 'append');
    if (!written({ store, appends, outcomesMs }, post)) {
      wake();
      return void port.close();
    }
    for (const message of group) {
      if (message.type === 'load') answer(store, message, post);
      else if (message.type === 'load_agent') answerAgent(store, message, post);
      else if (message.type === 'load_session') {
        answerSession(store, message, post);
        wake();
      }
    }
    if (group.every(({ type }) => type !== 'close')) return;
    store.risks.endLife();
    store.close();
    post({ type: 'closed' });
    port.close();
  });
}

const pruneEveryMs = 3_600_000;
let prunedAt = Number.NEGATIVE_INFINITY;

/** Forgets what need not be kept any longer, at the start and once an hour; returns which tasks. */
function prune(store: JournalStore, outcomesMs: number): readonly string[] {
  const now = systemClock.wallTime();
  if (now - prunedAt < pruneEveryMs) return [];
  prunedAt = now;
  return store.prune(now - outcomesMs);
}

/** The host waits on this word. */
function advance(progress: Int32Array, to: number): void {
  Atomics.store(progress, 0, to);
  Atomics.notify(progress, 0);
}

type Append = Extract<ToJournal, { readonly type: 'append' }>;

/** False when the store has failed. */
function written(
  {
    store,
    appends,
    outcomesMs,
  }: {
    readonly store: JournalStore;
    readonly appends: readonly Append[];
    readonly outcomesMs: number;
  },
  post: (message: FromJournal) => void,
): boolean {
  const [first] = appends;
  const last = appends.at(-1);
  if (first === undefined || last === undefined) return true;
  try {
    store.commit(appends.flatMap(({ records }) => records));
    post({ type: 'committed', upTo: last.number });
    const taskIds = prune(store, outcomesMs);
    if (taskIds.length > 0) post({ type: 'pruned', taskIds });
    return true;
  } catch (thrown) {
    post({ type: 'failed', from: first.number, failure: toFailure(thrown, 'journal_failed') });
    store.abandon();
    return false;
  }
}

/** What cannot be read of one task is said of that task. */
function answer(
  store: JournalStore,
  { request, taskId }: Extract<ToJournal, { readonly type: 'load' }>,
  post: (message: FromJournal) => void,
): void {
  post({ type: 'loaded', request, kept: kept(() => store.load(taskId)) });
}

/** The same of an agent. */
function answerAgent(
  store: JournalStore,
  { request, name }: Extract<ToJournal, { readonly type: 'load_agent' }>,
  post: (message: FromJournal) => void,
): void {
  post({ type: 'agent_loaded', request, kept: kept(() => store.agents.load(name)) });
}

/** The host waits for this one. */
function answerSession(
  store: JournalStore,
  { request, sessionId }: Extract<ToJournal, { readonly type: 'load_session' }>,
  post: (message: FromJournal) => void,
): void {
  let kept: KeptSession | Failure;
  try {
    kept = store.sessions.load(sessionId);
  } catch (thrown) {
    kept = toFailure(thrown, 'journal_failed');
  }
  post({ type: 'session_loaded', request, kept });
}

function kept<Value>(load: () => Kept<Value> | null): Kept<Value> | null {
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
