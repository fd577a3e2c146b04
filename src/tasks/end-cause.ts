// Owns why a run ends, as far as the host knows before the agent has ended.
import type { Failure } from '../base/failures.ts';
import type { OutcomeExitReason, RunPhase } from '../base/outcome.ts';

/** Why the supervisor ended a run that had not ended itself. */
export type EndCause = {
  readonly exitReason: OutcomeExitReason;
  readonly error: Failure;
  /** The phase of the run when it was ended (V9). */
  readonly phase: RunPhase;
};

/** The end of a run's time, its phase as it was found then. */
export type Fired = {
  readonly clock: 'idle' | 'total';
  readonly limitMs: number;
  readonly phase: RunPhase;
  readonly message: string;
};
