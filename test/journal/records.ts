// Shared records of the journal's tests. Starts no test.
import type { JournalRecord } from '#src/journal/records.js';

type Accepted = Extract<JournalRecord, { readonly type: 'task_accepted' }>;

export const accepted = (taskId: string, more: Partial<Accepted> = {}): JournalRecord => ({
  type: 'task_accepted',
  taskId,
  parentId: null,
  sessionId: null,
  idempotencyKey: null,
  at: 1,
  spec: `{"goal":"${taskId}"}`,
  ...more,
});
