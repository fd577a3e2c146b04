// Owns the loop of an agent as a machine: what follows each thing that happens to a run. Performs nothing, awaits nothing.
import { unreachable } from '../../base/failures.ts';
import { afterBeforeTurn, afterTurn, answered, beforeTurn, turnFailed } from './ask-model.ts';
import { Decision, type Move, takeTurn, wait } from './decision.ts';
import {
  afterBeforeRun,
  afterRun,
  afterRunFailed,
  beforeRun,
  beforeRunFailed,
  finish,
} from './end-run.ts';
import type { RunEffect, RunInput } from './run-effects.ts';
import type { RunRules, RunState } from './run-state.ts';
import { askAgain, beginClosing, beginTurn, endPause } from './take-turn.ts';
import {
  approvalAnswered,
  approvalNeeded,
  hookAnswered,
  hookFailed,
  toolEnded,
} from './tool-calls.ts';
import { callTools, proceedWithCalls } from './turn-calls.ts';

/**
 * Changes the run by what happened to it, and returns what has to be done, in order. An answer that the run does not wait
 * for changes nothing: answers may be late.
 */
export function advance(rules: RunRules, run: RunState, input: RunInput): readonly RunEffect[] {
  const decision = new Decision(rules, run);
  let move = firstMove(decision, input);
  while (move.type !== 'wait') move = nextMove(decision, move);
  return decision.effects;
}

function nextMove(decision: Decision, move: Exclude<Move, { type: 'wait' }>): Move {
  switch (move.type) {
    case 'take_turn':
      return beginTurn(decision);
    case 'ask_model':
      return beforeTurn(decision, 0, { shown: decision.run.messages, texts: [] });
    case 'ask_closing':
      return beginClosing(decision);
    case 'call_tools':
      return callTools(decision, move);
    case 'finish':
      return finish(decision, move.end);
    default:
      return unreachable(move);
  }
}

function firstMove(decision: Decision, input: RunInput): Move {
  const { run } = decision;
  const { step } = run;
  switch (input.type) {
    case 'continue':
      return continueRun(decision);
    case 'hook_answered':
    case 'hook_failed':
      return input.place === null ? afterHook(decision, input) : afterCallHook(decision, input);
    case 'model_answered':
      return step.type === 'asking' ? answered(decision, input.response) : wait;
    case 'model_failed':
      return step.type === 'asking' ? turnFailed(decision, input.error, input.streamed) : wait;
    case 'tool_ended':
    case 'approval_needed':
    case 'approval_answered':
      return afterCall(decision, input);
    case 'emitted':
      return emitted(decision, input);
    case 'interrupted':
      run.interrupted = input.error;
      return step.type === 'paused' ? endPause(decision) : wait;
    case 'steer':
      run.steers = [...run.steers, input.steer];
      return wait;
    case 'retract':
      run.steers = run.steers.filter(({ id }) => id !== input.id);
      return wait;
    case 'pause':
      run.isPaused = true;
      return wait;
    case 'resume':
      run.isPaused = false;
      return step.type === 'paused' ? endPause(decision) : wait;
    default:
      return unreachable(input);
  }
}

/** The run begins, or goes on in another thread. */
function continueRun(decision: Decision): Move {
  const { run } = decision;
  const { step } = run;
  switch (step.type) {
    case 'new':
      return beforeRun(decision, 0);
    case 'between_turns':
      return takeTurn;
    case 'asking':
      return run.interrupted === null ? askAgain(decision) : decision.interrupted(run.interrupted);
    case 'paused':
      return run.isPaused && run.interrupted === null ? wait : endPause(decision);
    case 'after_turn':
      return step.hook < 0 ? afterTurn(decision, 0, step.response) : wait;
    case 'in_tools':
      return proceedWithCalls(decision);
    default:
      return wait;
  }
}

type HookInput = Extract<RunInput, { type: 'hook_answered' | 'hook_failed' }>;

/** A hook around the run or a turn has ended. */
function afterHook(decision: Decision, input: HookInput): Move {
  const { step } = decision.run;
  const hasFailed = input.type === 'hook_failed';
  switch (step.type) {
    case 'before_run':
      if (hasFailed) return beforeRunFailed(input.error);
      return afterBeforeRun(decision, step.hook, input.answer);
    case 'before_turn':
      if (hasFailed) return turnFailed(decision, input.error, '');
      return afterBeforeTurn(decision, step, input.answer);
    case 'after_turn':
      if (hasFailed) return turnFailed(decision, input.error, '');
      return afterTurn(decision, step.hook + 1, step.response);
    case 'after_run':
      if (hasFailed) return afterRunFailed(decision, step, input.error);
      return afterRun(decision, step);
    default:
      return wait;
  }
}

/** A hook around a tool call has ended. */
function afterCallHook(decision: Decision, input: HookInput): Move {
  const { run, rules, effects } = decision;
  if (run.step.type !== 'in_tools' || input.place === null) return wait;
  const state = run.step.calls[input.place];
  if (state?.step !== 'before_tool' && state?.step !== 'after_tool') return wait;
  if (input.type === 'hook_failed') hookFailed(run, { state, error: input.error }, effects);
  else hookAnswered(rules, run, { state, answer: input.answer }, effects);
  return proceedWithCalls(decision);
}

type CallInput = Extract<
  RunInput,
  { type: 'tool_ended' | 'approval_needed' | 'approval_answered' }
>;

/** A tool has ended, or what it needs to begin is asked for or there. */
function afterCall(decision: Decision, input: CallInput): Move {
  const { run, rules, effects } = decision;
  if (run.step.type !== 'in_tools') return wait;
  const state = run.step.calls[input.place];
  if (state?.step !== (input.type === 'approval_answered' ? 'approving' : 'running')) return wait;
  switch (input.type) {
    case 'tool_ended':
      toolEnded(rules, run, { state, result: input.result }, effects);
      break;
    case 'approval_needed':
      approvalNeeded(state, effects);
      break;
    case 'approval_answered':
      approvalAnswered(rules, run, { state, approval: input.approval }, effects);
      break;
  }
  return proceedWithCalls(decision);
}

/** An emitted value survives the loss of its thread (S9). */
function emitted(
  decision: Decision,
  { name, value }: Extract<RunInput, { type: 'emitted' }>,
): Move {
  const { run } = decision;
  const { progress } = run;
  if (!progress.emitted.includes(name)) {
    const { isAnswered, corrections } = progress;
    run.progress = { emitted: [...progress.emitted, name], isAnswered, corrections };
  }
  decision.publish({ type: 'emitted', name, value }, true);
  return wait;
}
