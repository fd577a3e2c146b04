// Owns what a journal is told: one record per thing that has happened. Plain data; bodies are JSON texts, made by who writes them.

/** What is written, in the order in which it has happened. */
export type JournalRecord =
  /** A task is accepted. */
  | {
      readonly type: 'task_accepted';
      readonly taskId: string;
      /** The task whose run delegated it; null of a root. */
      readonly parentId: string | null;
      readonly sessionId: string | null;
      /** By which its caller finds it again; unique among the tasks that are kept. */
      readonly idempotencyKey: string | null;
      readonly at: number;
      readonly spec: string;
    }
  /** A run has gone on: what it committed, `seq` from 1. */
  | {
      readonly type: 'run_committed';
      readonly taskId: string;
      readonly seq: number;
      readonly at: number;
      readonly body: string;
    }
  /** A task has ended; what its run committed is not needed to go on, and leaves with its retention. */
  | {
      readonly type: 'task_ended';
      readonly taskId: string;
      readonly at: number;
      readonly outcome: string;
    }
  /** The outcome has been received by who asked. */
  | { readonly type: 'task_acknowledged'; readonly taskId: string; readonly at: number };

/** A task as it is kept. */
export type StoredTask = {
  readonly taskId: string;
  readonly parentId: string | null;
  readonly sessionId: string | null;
  readonly idempotencyKey: string | null;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  readonly endedAt: number | null;
  readonly acknowledgedAt: number | null;
  readonly spec: string;
  /** Null of an unfinished one. */
  readonly outcome: string | null;
};

/** A commit of a run as it is kept. */
export type StoredCommit = { readonly seq: number; readonly at: number; readonly body: string };
