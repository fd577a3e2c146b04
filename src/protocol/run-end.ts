// Owns how a run ended. Types only.
import type { Failure } from '../base/failures.ts';
import type { OutcomeExitReason } from '../base/outcome.ts';

/** How a run ended, as its own thread saw it. */
export type RunEnd = {
  readonly exitReason: OutcomeExitReason;
  readonly text: string;
  readonly error?: Failure | undefined;
};
