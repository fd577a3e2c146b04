// Owns the states of an agent's slot: a live agent, a thread and a slot are one budget (V7).

export type SlotState =
  | 'occupied'
  /** Asked to give its thread up; it may have gone on meanwhile. */
  | 'parking'
  | 'parked'
  /** Parked, and its answers are there: it waits for a slot. */
  | 'ready'
  | 'released';

export interface SlotOwner {
  slot: SlotState;
}
