// Owns a scope's outcome in the terms of its source: four reasons, a map of emitted values (B1, B2). Pure.
import { type Outcome, type OutcomeExitReason, statusOf } from '../../base/outcome.ts';

/** Why a scope ended: it reached its goal, ran out of time or turns, or failed in any other way. */
export const SubagentTerminateMode = {
  ERROR: 'ERROR',
  TIMEOUT: 'TIMEOUT',
  GOAL: 'GOAL',
  MAX_TURNS: 'MAX_TURNS',
} as const;

/** Why a scope ended. */
export type SubagentTerminateMode =
  (typeof SubagentTerminateMode)[keyof typeof SubagentTerminateMode];

/** What a scope came to. */
export type OutputObject = {
  /** The variables it emitted, by name. */
  readonly emitted_vars: Readonly<Record<string, string>>;
  /** Why it ended; `ERROR` before it has run. */
  readonly terminate_reason: SubagentTerminateMode;
};

/** Of a scope that has not run. */
export const noOutput: OutputObject = {
  emitted_vars: {},
  terminate_reason: SubagentTerminateMode.ERROR,
};

export function outputOf({ exitReason, emitted = {} }: Outcome): OutputObject {
  return { emitted_vars: emitted, terminate_reason: reasonOf(exitReason) };
}

/** Total: whatever is none of the other three is an error. */
function reasonOf(exitReason: OutcomeExitReason): SubagentTerminateMode {
  if (exitReason === 'goal') return SubagentTerminateMode.GOAL;
  if (exitReason === 'max_turns') return SubagentTerminateMode.MAX_TURNS;
  if (statusOf(exitReason) === 'timeout') return SubagentTerminateMode.TIMEOUT;
  return SubagentTerminateMode.ERROR;
}
