// Owns the control messages for the run of an agent: steering messages, pauses, cancellation. Types only.

/** A steering message for a run, with the id by which the run confirms that it took it. */
export type Steer = { readonly id: string; readonly text: string };

/** Control messages about one run; they may arrive before its own message does. */
export type SteerControl =
  | { readonly type: 'steer'; readonly runId: string; readonly steer: Steer }
  /** Retracts a steering message, unless the run has taken it. */
  | { readonly type: 'retract'; readonly runId: string; readonly id: string }
  | { readonly type: 'pause' | 'resume'; readonly runId: string };

/** Control messages, ahead of mail. */
export type AgentControl =
  | { readonly type: 'tool_timeout'; readonly callId: string; readonly timeoutMs: number }
  /** The run was interrupted: if its message has not come yet, it ends without another turn (S8). */
  | { readonly type: 'cancel'; readonly runId: string; readonly reason: string }
  | { readonly type: 'park' }
  /** So many of the run's commits are durable. */
  | { readonly type: 'durable'; readonly runId: string; readonly commits: number }
  | SteerControl;
