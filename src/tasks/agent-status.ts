// Owns where an agent is in its life, and in the queue for slots. Types only.
import type { Exit } from '../actor/exit.ts';

/** The place of an agent among those that may be live, whether or not it has a thread (V7). */
export type SlotState =
  | 'occupied'
  /** Its run waits for children: it is not counted. */
  | 'yielded'
  /** What it waited for without a thread is there: it waits for a place again. */
  | 'ready'
  | 'released';

/** `queued`: it waits for its first slot. `ending`: it has been asked to end, and begins no further run. */
export type AgentStatus = 'queued' | 'starting' | 'live' | 'ending' | 'ended';

/** How an agent lost its thread: its actor has ended, or outlives it. */
export type Over = {
  /** Null of an idle one that gave its thread up. */
  readonly exit: Exit | null;
  readonly isEnded: boolean;
  /** Calls of its run that waited for children then: each will have its result. */
  readonly awaitsCalls: boolean;
};
