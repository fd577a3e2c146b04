// Owns how a run begins and ends around its turns: the hooks before it and after it. Pure.
import { type Failure, failure } from '../../base/failures.ts';
import type { HookAnswer } from '../../protocol/hooks.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import { type Decision, type Move, takeTurn, wait } from './decision.ts';
import { nextHook, type RunStep } from './run-state.ts';

/** Calls the next hook before the run, from `from` on, or takes the first turn when none is left. */
export function beforeRun(decision: Decision, from: number): Move {
  const { run, rules } = decision;
  const hook = nextHook(rules, 'beforeRun', from);
  if (hook < 0) return takeTurn;
  run.step = { type: 'before_run', hook };
  return decision.callHook(hook, { name: 'beforeRun', subject: { messages: run.messages } });
}

export function afterBeforeRun(decision: Decision, hook: number, answer: HookAnswer): Move {
  if (answer === null || !('deny' in answer)) return beforeRun(decision, hook + 1);
  const error = failure('hook_denied', answer.deny);
  return { type: 'finish', end: { exitReason: 'refused', text: '', error } };
}

export function beforeRunFailed(error: Failure): Move {
  const exitReason = error.code === 'hook_failed' ? 'error' : 'interrupted';
  return { type: 'finish', end: { exitReason, text: '', error } };
}

/**
 * The run ends, unless it reached its goal and steering messages arrived before: then it takes another turn. Any other
 * end does not change, and a run without a turn left keeps its answer (S9).
 */
export function finish(decision: Decision, end: RunEnd): Move {
  const { steers, turn, interrupted } = decision.run;
  const hasTurn = turn < decision.rules.maxTurns && interrupted === null;
  if (end.exitReason === 'goal' && steers.length > 0 && hasTurn) return takeTurn;
  return afterRun(decision, { type: 'after_run', hook: -1, end, failure: null });
}

/** Calls the next hook after the run; ends it when none is left. Hooks cannot change how it ended. */
export function afterRun(decision: Decision, step: Extract<RunStep, { type: 'after_run' }>): Move {
  const { run, rules, effects } = decision;
  const hook = nextHook(rules, 'afterRun', step.hook + 1);
  if (hook >= 0) {
    run.step = { type: 'after_run', hook, end: step.end, failure: step.failure };
    return decision.callHook(hook, { name: 'afterRun', subject: step.end });
  }
  const { end: reached, failure: why } = step;
  const end = why === null || reached.error !== undefined ? reached : { ...reached, error: why };
  run.step = { type: 'ended', end };
  effects.push({ type: 'end', end });
  return wait;
}

export function afterRunFailed(
  decision: Decision,
  { hook, end, failure: first }: Extract<RunStep, { type: 'after_run' }>,
  error: Failure,
): Move {
  decision.publish({ type: 'hook_failed', failure: error });
  return afterRun(decision, { type: 'after_run', hook, end, failure: first ?? error });
}
