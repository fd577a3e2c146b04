// Owns the envelope of a message: sender, receiver, order and deadline (M8).
import type { Address } from './address.ts';

export type Envelope = {
  readonly id: number;
  /** Null when the host program sent it. */
  readonly from: Address | null;
  readonly to: Address;
  readonly message: unknown;
  readonly bytes: number;
  /** The ask to answer, 0 for a tell. */
  readonly askId: number;
  /** On the supervisor's monotonic clock; Infinity for none. An expired envelope is not started. */
  readonly deadline: number;
  /** A `terminated` notice: no bound keeps it out and no overflow drops it (M2, V5). */
  readonly isNotice: boolean;
  /** Order of acceptance at the receiver, from 1; 0 before acceptance. */
  seq: number;
  /** The one behind it in its queue. */
  next: Envelope | null;
};

/** True when the deadline has passed: the sender no longer waits for the reply. */
export function isExpired(envelope: Envelope, now: number): boolean {
  return envelope.deadline <= now;
}
