// Owns what the supervisor knows of a run and its threads: whether it is asked for the one it has, what made it keep it, what it
// takes along to the next (W1, W5).
import type { StreamedDelta } from '../protocol/model-messages.ts';
import type { FailedCall } from '../protocol/saved-run.ts';

/** What the pool reports. */
export type ThreadDemand = {
  /** Requests that wait for a thread which is not on its way. */
  readonly missing: number;
  /** There may be more threads. */
  readonly canGrow: boolean;
  /** Runs leave theirs at every wait, needed or not. */
  readonly isAlwaysNeeded: boolean;
};

export class ThreadUse {
  /** It has left a thread before: each further activation goes on where it was. */
  hasLeft = false;
  /** When it began to wait for a thread, or for a place. */
  readyAt = 0;
  /** It is asked for its thread, and has not answered. */
  isAsked = false;
  /** When it may be asked again, since its tools had something open there. */
  askAgainAt = 0;
  /** It had the last time it was asked. */
  wasLeaking = false;
  /** The turn in which its model was asked once more, since its gateway was lost. */
  askedAgainIn = -1;
  /** What its threads have committed, and how much of that is durable. */
  commits = 0;
  durable = 0;
  /** What has streamed of a turn that its thread has not reported yet. */
  readonly unread: StreamedDelta[] = [];
  /** What its model call failed of, for the thread that goes on with it; null when that is in its record. */
  failedCall: FailedCall | null = null;
}
