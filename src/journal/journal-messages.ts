// Owns what the host and the thread of a journal say to each other. Types only.
import type { MessagePort } from 'node:worker_threads';
import type { Failure } from '../base/failures.ts';
import type {
  JournalContents,
  JournalRecord,
  Kept,
  KeptAgent,
  KeptSession,
  KeptTask,
} from './records.ts';
import type { Retention } from './retention.ts';
import type { Durability } from './store.ts';

/** What the thread is started with. */
export type JournalThreadData = {
  readonly role: 'journal';
  readonly path: string;
  readonly durability: Durability;
  readonly retention: Retention;
  /** False where the same process had it open before. */
  readonly isNewLife: boolean;
  readonly port: MessagePort;
  /** One word, for a host that waits: 1 once the thread runs, 2 once its first message is on the port, one more with each answer that it may wait for. */
  readonly progress: Int32Array;
};

export type ToJournal =
  /** Numbered from 1, in the order of writing. */
  | { readonly type: 'append'; readonly number: number; readonly records: readonly JournalRecord[] }
  /** Answered after all that was to be written before it, and before what comes later is. */
  | { readonly type: 'load'; readonly request: number; readonly taskId: string }
  /** The word of the host changes with the answer: it may wait. */
  | {
      readonly type: 'load_agent';
      readonly request: number;
      readonly name: string;
      /** With its messages. */
      readonly isWhole: boolean;
    }
  | { readonly type: 'load_session'; readonly request: number; readonly sessionId: string }
  | { readonly type: 'close' };

export type FromJournal =
  | { readonly type: 'opened'; readonly contents: JournalContents }
  /** All up to this number are durable. */
  | { readonly type: 'committed'; readonly upTo: number }
  | {
      readonly type: 'loaded';
      readonly request: number;
      /** Null for a task that is not kept. */
      readonly kept: Kept<KeptTask> | null;
    }
  | {
      readonly type: 'agent_loaded';
      readonly request: number;
      readonly kept: Kept<KeptAgent> | null;
    }
  | {
      readonly type: 'session_loaded';
      readonly request: number;
      readonly kept: KeptSession | Failure;
    }
  /** Nothing from this number on is, and nothing will be: the thread ends. */
  | { readonly type: 'failed'; readonly from: number; readonly failure: Failure }
  /** These ended tasks are not kept any longer. */
  | { readonly type: 'pruned'; readonly taskIds: readonly string[] }
  | { readonly type: 'closed' };
