// Owns what a caller learns of a message that it sent to a run.

/**
 * The state of a steer. `delivered`: it is in the run's conversation, before its next model call. `queued`: the run has
 * not begun, is paused or has given its thread up, or the sender, a tool, did not wait; it takes it when it goes on, and event `steering_updated` reports
 * that, or that it was undelivered. `undelivered`: the run had ended, or ended before another turn.
 */
export type SteerStatus = 'delivered' | 'queued' | 'undelivered';

/** The result of a steer; its `steering_updated` events carry the same id. */
export type SteerReceipt = {
  /** Names the message in `steering_updated` events. */
  readonly id: string;
  /** The state of the message now; `queued` is followed by an event. */
  readonly status: SteerStatus;
};
