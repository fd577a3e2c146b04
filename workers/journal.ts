// Owns the thread entry of a journal: it writes what is there whenever it is free, one transaction for all. A store that failed is
// never written to again: what its last commit left on the disk is not known.
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { TroupeError, toFailure } from '../src/base/failures.ts';
import type { FromJournal, JournalThreadData, ToJournal } from '../src/journal/journal-messages.ts';
import { JournalStore } from '../src/journal/store.ts';

if (parentPort === null) throw new TroupeError('internal', 'workers/journal is a thread entry');
// Node announces on the console of the program that its SQLite is new.
process.removeAllListeners('warning');
void serve(parentPort, workerData as JournalThreadData);

async function serve(host: MessagePort, { path, durability }: JournalThreadData): Promise<void> {
  const post = (message: FromJournal): void => host.postMessage(message);
  const store = await open(path, durability, post);
  if (store === null) return;
  post({ type: 'opened', stats: store.stats() });
  host.on('message', (first: ToJournal) => {
    const group = [first, ...waitingOn(host)];
    const appends = group.filter((message) => message.type === 'append');
    if (!written(store, appends, post)) return void host.close();
    if (group.every(({ type }) => type !== 'close')) return;
    store.close();
    post({ type: 'closed' });
    host.close();
  });
}

type Append = Extract<ToJournal, { readonly type: 'append' }>;

/** False when the store has failed. */
function written(
  store: JournalStore,
  appends: readonly Append[],
  post: (message: FromJournal) => void,
): boolean {
  const [first] = appends;
  const last = appends.at(-1);
  if (first === undefined || last === undefined) return true;
  try {
    store.commit(appends.flatMap(({ records }) => records));
    post({ type: 'committed', upTo: last.number });
    return true;
  } catch (thrown) {
    post({ type: 'failed', from: first.number, failure: toFailure(thrown, 'journal_failed') });
    store.close();
    return false;
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

async function open(
  path: string,
  durability: JournalThreadData['durability'],
  post: (message: FromJournal) => void,
): Promise<JournalStore | null> {
  try {
    return await JournalStore.open(path, durability);
  } catch (thrown) {
    post({ type: 'failed', from: 1, failure: toFailure(thrown, 'journal_failed') });
    return null;
  }
}
