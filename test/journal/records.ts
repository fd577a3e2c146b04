// Shared records of the journal's tests. Starts no test.
import type { JournalRecord, Kept, StoredTask } from '#src/journal/records.js';
import type { JournalStore } from '#src/journal/store.js';

type Accepted = Extract<JournalRecord, { readonly type: 'task_accepted' }>;

export const accepted = (taskId: string, more: Partial<Accepted> = {}): JournalRecord => ({
  type: 'task_accepted',
  taskId,
  parentId: null,
  place: null,
  agent: null,
  session: null,
  isBackground: false,
  idempotencyKey: null,
  at: 1,
  spec: `{"goal":"${taskId}"}`,
  ...more,
});

/** The unfinished tasks of a store, in the order in which they were accepted. */
export const unfinishedIn = (store: JournalStore): readonly Kept<StoredTask>[] =>
  store
    .contents()
    .tasks.filter(({ status }) => status === null)
    .flatMap(({ taskId }) => store.task(taskId) ?? []);

export const taskByKey = (store: JournalStore, key: string): string | undefined =>
  store.contents().tasks.find(({ idempotencyKey }) => idempotencyKey === key)?.taskId;
