// Owns when an idle actor gives up its place (P1): the decision, pure. Leaves out its performance (passivation.ts).
import type { CellState } from './cell-state.ts';

/** What of an actor the decision depends on, at the moment it is made. */
export type IdleFacts = {
  readonly status: CellState['status'];
  /** Milliseconds since its last start or receive. */
  readonly idleForMs: number;
  readonly afterIdleMs: number;
  /** Messages that wait, are set aside, or are in its hands. */
  readonly queued: number;
  readonly stashed: number;
  readonly inFlight: number;
  /** An asker waits for a reply that the actor took out of its receive. */
  readonly mustReply: boolean;
  /** It has no children, no signal is on its way to it, no restart is pending. */
  readonly isFree: boolean;
  /** Its snapshot failed since its last receive: the same state would fail again. */
  readonly hasFailed: boolean;
};

export type IdleVerdict =
  | { readonly type: 'passivate' }
  | { readonly type: 'look_again'; readonly inMs: number }
  /** Nothing to look for before its next receive. */
  | { readonly type: 'wait' };

const passivate: IdleVerdict = { type: 'passivate' };
const wait: IdleVerdict = { type: 'wait' };

/** True for an actor that nothing but the time keeps live. */
export function isEligible(facts: Omit<IdleFacts, 'idleForMs' | 'afterIdleMs'>): boolean {
  const { status, queued, stashed, inFlight, mustReply, isFree, hasFailed } = facts;
  if (status !== 'running' || hasFailed || mustReply || !isFree) return false;
  return queued + stashed + inFlight === 0;
}

/** What follows when the time to look has come. */
export function whenIdle(facts: IdleFacts): IdleVerdict {
  const { status, idleForMs, afterIdleMs, hasFailed } = facts;
  if (hasFailed || (status !== 'running' && status !== 'paused')) return wait;
  if (idleForMs < afterIdleMs) return { type: 'look_again', inMs: afterIdleMs - idleForMs };
  return isEligible(facts) ? passivate : { type: 'look_again', inMs: afterIdleMs };
}
