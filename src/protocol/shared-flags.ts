// Owns the layout of the flags that a slot shares with its thread.

/** Indexes of the flags a slot shares with its thread; the first seven belong to `activation` (S2, M4). */
export const sharedFlags = {
  activation: 0,
  /** Receives that have begun in this activation; so a message that comes a second time, after a stash, counts anew. */
  startedSeq: 1,
  /** Receives that are over. */
  doneSeq: 2,
  /** The number of the receive that is to end. */
  interruptSeq: 3,
  /** The activation that is to end. */
  stopActivation: 4,
  /** The activation that is to return what it has not started. */
  takeBackActivation: 5,
  /** Counts heartbeats of tools; the idle clock looks whether it moved (V8). */
  heartbeats: 6,
  /** What the host has taken in of all that the thread has sent, over every activation (M5). */
  taken: 7,
  /** MB that the thread uses, where Node does not tell the host. */
  usedMb: 8,
} as const;

/** The first flags belong to one activation; the host sets them to 0 for the next. */
export const activationFlags = 7;

export const flagCount = 9;
