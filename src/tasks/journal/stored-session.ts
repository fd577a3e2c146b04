// Owns a session as the journal has it: what it shows of its tasks, and its board, which is plain data here. Pure.
import type { Outcome } from '../../base/outcome.ts';
import type { BoardChange, KeptSession } from '../../journal/records.ts';
import type { Task } from '../task.ts';
import { readTask } from './stored-task.ts';

/** What the board of a session has become; null for a session that is over. */
export type SessionChange = { readonly sessionId: string; readonly board: BoardChange | null };

/** A task in the background of a session; `outcome` is null of one that has not ended. */
export type TaskOfSession = {
  readonly taskId: string;
  readonly task: Task;
  readonly outcome: Outcome | null;
};

export type StoredSession = {
  /** Null when its board never changed. */
  readonly settings: unknown;
  readonly entries: readonly { readonly seq: number; readonly entry: unknown }[];
  readonly tasks: readonly TaskOfSession[];
  /** What of it cannot be read. */
  readonly problems: readonly string[];
};

/** What is read was written by this version or one before, and its sums are right. */
export function readSession({ settings, entries, tasks, problems }: KeptSession): StoredSession {
  return {
    settings: settings === null ? null : JSON.parse(settings),
    entries: entries.map(({ seq, entry }) => ({ seq, entry: JSON.parse(entry) })),
    tasks: tasks.map(({ taskId, spec, outcome }) => ({
      taskId,
      task: readTask(spec).task,
      outcome: outcome === null ? null : (JSON.parse(outcome) as Outcome),
    })),
    problems,
  };
}
