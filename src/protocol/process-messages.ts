// Owns what a host and a process that it started send each other about the one thread there.
import type { Failure } from '../base/failures.ts';
import type { ToThread } from './worker-messages.ts';
import type { NetworkAccess } from './worker-profile.ts';

/** Names the process and its thread to an entry that is shared with others. */
export const processRole = 'troupe-process';

/** What the process is to be: comes first. */
export type ProcessJob = {
  readonly type: 'job';
  /** Heap of its thread in MB. */
  readonly heapMb: number;
  /** Resident memory of the whole process in MB; above it the process ends. */
  readonly memoryMb: number;
  /** Node flags of its thread. */
  readonly execArgv: readonly string[];
  /** As in `WorkerJob`. */
  readonly niceness: number;
  readonly tsx: string | null;
  readonly net: NetworkAccess;
  readonly isRestricted: boolean;
};

export type ToProcess =
  | ProcessJob
  | { readonly type: 'slot'; readonly message: ToThread }
  /** So many runs wait for a thread of the pool. */
  | { readonly type: 'needed'; readonly needed: number }
  /** The thread gets a new port to a gateway's thread, in the place of what it had. */
  | { readonly type: 'gateway_opened' }
  /** Its port leads nowhere any more. */
  | { readonly type: 'gateway_closed' }
  | { readonly type: 'gateway'; readonly message: unknown }
  /** So much of what code has printed was taken by the host's own output. */
  | { readonly type: 'printed_on'; readonly length: number }
  /** The host's count of what it has taken in (M5). */
  | { readonly type: 'taken'; readonly taken: number };

/** What the flags of the thread say, which its process shares with it. */
export type ThreadProgress = {
  readonly activation: number;
  readonly startedSeq: number;
  readonly doneSeq: number;
  readonly heartbeats: number;
};

export type FromProcess =
  /** Of the thread, and not trusted. */
  | { readonly type: 'slot'; readonly message: unknown; readonly progress: ThreadProgress }
  | { readonly type: 'gateway'; readonly message: unknown }
  | { readonly type: 'progress'; readonly progress: ThreadProgress }
  /** What code in the thread has printed. */
  | { readonly type: 'printed'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** Why the process is about to end. */
  | { readonly type: 'failed'; readonly failure: Failure }
  /** The thread has exited with this code. */
  | { readonly type: 'exited'; readonly code: number; readonly progress: ThreadProgress };
