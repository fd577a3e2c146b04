// Owns what a journal is told: one record per thing that has happened, and what it has of each task. Plain data; bodies are JSON
// texts, made by the code that writes them.
import type { OutcomeStatus } from '../base/outcome.ts';

/** What is written, in the order in which it has happened. */
export type JournalRecord =
  /** A task is accepted. */
  | {
      readonly type: 'task_accepted';
      readonly taskId: string;
      /** The task whose run delegated it; null of a root. */
      readonly parentId: string | null;
      /** Its place among what the calls of that run delegated; null of a root. */
      readonly place: string | null;
      /** The persistent agent that is asked; null for a task with an agent of its own. */
      readonly agent: string | null;
      /** The session in whose name a root was started; null for none. */
      readonly session: string | null;
      /** Its caller does not wait for it: its end is kept until the caller has received it. */
      readonly isBackground: boolean;
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
      readonly status: OutcomeStatus;
      readonly outcome: string;
    }
  /** The outcome has been received by who asked. */
  | { readonly type: 'task_acknowledged'; readonly taskId: string; readonly at: number }
  /** A persistent agent can be asked; one that is there already keeps its memory. */
  | {
      readonly type: 'agent_spawned';
      readonly name: string;
      readonly at: number;
      readonly spec: string;
    }
  /** A run of a persistent agent has ended: what changed of its memory, and what all its runs used. */
  | {
      readonly type: 'agent_remembered';
      readonly name: string;
      readonly used: string;
      /** Its messages are numbered: those before `first` are forgotten, those from `from` on are replaced by `messages`. */
      readonly first: number;
      readonly from: number;
      readonly messages: readonly string[];
    }
  /** A persistent agent is over: its memory is not needed any more. */
  | { readonly type: 'agent_ended'; readonly name: string }
  /** The board of a session has changed. */
  | ({
      readonly type: 'session_changed';
      readonly sessionId: string;
      readonly at: number;
    } & BoardChange)
  /** A session is over: what it was is not needed any more. */
  | { readonly type: 'session_ended'; readonly sessionId: string }
  /** Code of a recovered task, or below it, is about to run; `isAlone`: no other that may have ended a process does. */
  | {
      readonly type: 'recovery_tried';
      readonly taskId: string;
      readonly isAlone: boolean;
    }
  /** It has gone on since. */
  | { readonly type: 'recovery_settled'; readonly taskId: string }
  /** Ids of tasks and numbers of events up to these may be in use: a later life begins after them. */
  | { readonly type: 'numbers_reserved'; readonly tasks: number; readonly events: number };

/** What a board has become. */
export type BoardChange = {
  readonly settings: string;
  /** Entries that are new, numbered from 1. */
  readonly posted: readonly KeptEntry[];
  /** Numbers of those that are gone. */
  readonly removed: readonly number[];
};

export type KeptEntry = { readonly seq: number; readonly entry: string };

/** A task as it is kept. */
export type StoredTask = {
  readonly taskId: string;
  readonly parentId: string | null;
  readonly place: string | null;
  readonly agent: string | null;
  readonly session: string | null;
  readonly isBackground: boolean;
  readonly idempotencyKey: string | null;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  readonly endedAt: number | null;
  readonly acknowledgedAt: number | null;
  readonly spec: string;
  /** Null of an unfinished one, as is its status. */
  readonly outcome: string | null;
  readonly status: OutcomeStatus | null;
};

/** A commit of a run as it is kept. */
export type StoredCommit = { readonly seq: number; readonly at: number; readonly body: string };

/** What was kept, or why it cannot be read: then it is refused for that task, or that agent, alone. */
export type Kept<Value> =
  | { readonly isDamaged: false; readonly value: Value }
  | { readonly isDamaged: true; readonly why: string };

/** A task and what its run has committed, in order. */
export type KeptTask = { readonly task: StoredTask; readonly commits: readonly StoredCommit[] };

/** A persistent agent as it is kept. */
export type KeptAgent = {
  readonly spec: string;
  /** Null before the end of its first run. */
  readonly used: string | null;
  /** The number of its first message. */
  readonly first: number;
  /** Null where there are some, and they were not asked for. */
  readonly messages: readonly string[] | null;
};

/** A session as it is kept, and what of it cannot be read. */
export type KeptSession = {
  /** Of its board; null when that never changed. */
  readonly settings: string | null;
  readonly entries: readonly KeptEntry[];
  /** Its tasks in the background that have not ended, or whose ends were not received. */
  readonly tasks: readonly StoredTask[];
  readonly problems: readonly string[];
};

/** Where a task is found again, without what it was asked. */
export type TaskPlace = {
  readonly taskId: string;
  readonly parentId: string | null;
  readonly place: string | null;
  readonly agent: string | null;
  readonly session: string | null;
  readonly isBackground: boolean;
  readonly idempotencyKey: string | null;
  /** Null of an unfinished one. */
  readonly status: OutcomeStatus | null;
  /** The process before ended while its code ran again, and it had not gone on. */
  readonly isSuspect: boolean;
  /** How many processes ended while it alone was such, since it last went on. */
  readonly deaths: number;
};

/** What a life of a journal begins with. */
export type JournalContents = {
  /** Unfinished tasks in the order in which they were accepted, ended ones below unfinished ones, and those with a key. */
  readonly tasks: readonly TaskPlace[];
  /** Ids of sessions that have something that is kept. */
  readonly sessions: readonly string[];
  /** The numbers that earlier lives may have used. */
  readonly reserved: { readonly tasks: number; readonly events: number };
};
