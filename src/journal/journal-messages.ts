// Owns what the host and the thread of a journal say to each other. Types only.
import type { Failure } from '../base/failures.ts';
import type { JournalRecord } from './records.ts';
import type { Durability, JournalStats } from './store.ts';

/** What the thread is started with. */
export type JournalThreadData = {
  readonly role: 'journal';
  readonly path: string;
  readonly durability: Durability;
};

export type ToJournal =
  /** Numbered from 1, in the order of writing. */
  | { readonly type: 'append'; readonly number: number; readonly records: readonly JournalRecord[] }
  | { readonly type: 'close' };

export type FromJournal =
  | { readonly type: 'opened'; readonly stats: JournalStats }
  /** All up to this number are durable. */
  | { readonly type: 'committed'; readonly upTo: number }
  /** Nothing from this number on is, and nothing will be: the thread ends. */
  | { readonly type: 'failed'; readonly from: number; readonly failure: Failure }
  | { readonly type: 'closed' };
