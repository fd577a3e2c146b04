// Owns how an outcome is made of what is known: the run's own end, the actor's exit, the supervisor's cause. Pure.
import type { Exit } from '../../actor/exit.ts';
import { type Failure, failure } from '../../base/failures.ts';
import type { OutcomeExitReason } from '../../base/outcome.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { EndCause } from '../end-cause.ts';

export type RunResult = {
  readonly exitReason: OutcomeExitReason;
  readonly text: string;
  readonly error?: Failure;
};

/**
 * The result of the run. The end that a run reports is trusted, except that "interrupted" means what the supervisor
 * interrupted it for; without a reported end, the cause decides, then the exit (S9, V1).
 */
export function runResultOf(facts: {
  readonly end: RunEnd | null;
  readonly cause: EndCause | null;
  readonly exit: Exit;
  readonly text: string;
}): RunResult {
  const { end, cause, exit, text } = facts;
  if (end !== null && end.exitReason !== 'interrupted') {
    return end.error === undefined
      ? { exitReason: end.exitReason, text: end.text }
      : { exitReason: end.exitReason, text: end.text, error: end.error };
  }
  const shown = end?.text || text;
  if (cause !== null) {
    const wasKilled =
      end === null && exit.reason === 'killed' && cause.exitReason === 'interrupted';
    return { exitReason: wasKilled ? 'killed' : cause.exitReason, text: shown, error: cause.error };
  }
  if (end !== null) {
    return { exitReason: 'interrupted', text: shown, error: end.error ?? interrupted };
  }
  return { ...ofExit(exit), text: shown };
}

const interrupted = failure('interrupted', 'the run was interrupted');

function ofExit(exit: Exit): Omit<RunResult, 'text'> {
  switch (exit.reason) {
    case 'killed':
    case 'unresponsive':
      return {
        exitReason: 'killed',
        error: exit.failure ?? failure('killed', 'the agent was killed'),
      };
    case 'interrupted':
    case 'stopped':
    case 'parent_exit':
    case 'restart_intensity':
      return { exitReason: 'interrupted', error: exit.failure ?? interrupted };
    case 'normal':
      return {
        exitReason: 'error',
        error: failure('internal', 'the agent ended without saying how its run ended'),
      };
    case 'crashed':
    case 'out_of_memory':
    case 'spawn_failed':
      return {
        exitReason: 'crashed',
        error: exit.failure ?? failure('crashed', `the agent ended: ${exit.reason}`),
      };
  }
}
