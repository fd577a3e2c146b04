// Owns a scope's outcome in the terms of its source: four reasons, a map of emitted values (B1, B2). Pure.
import { type Outcome, type OutcomeExitReason, statusOf } from '../../base/outcome.ts';

export const SubagentTerminateMode = {
  ERROR: 'ERROR',
  TIMEOUT: 'TIMEOUT',
  GOAL: 'GOAL',
  MAX_TURNS: 'MAX_TURNS',
} as const;

export type SubagentTerminateMode =
  (typeof SubagentTerminateMode)[keyof typeof SubagentTerminateMode];

export type OutputObject = {
  readonly emitted_vars: Readonly<Record<string, string>>;
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
