// Owns one request to the model: the hooks before it, its answer or failure, the hooks after it. Pure.
import type { Failure } from '../../base/failures.ts';
import type { Message } from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import { inToolLetters } from '../called-names.ts';
import { type HookAnswer, withAppended } from '../hooks.ts';
import { endAfterFailure, isBlank, textOf, withoutSummary } from '../turn.ts';
import { afterResponse } from './after-response.ts';
import { askModel, type Decision, type Move, wait } from './decision.ts';
import { nextHook, type RunStep } from './run-state.ts';

type Request = { readonly shown: readonly Message[]; readonly texts: readonly string[] };

/** Calls the next hook before the turn, from `from` on, or the model when none is left. */
export function beforeTurn(decision: Decision, from: number, { shown, texts }: Request): Move {
  const { run, rules, effects } = decision;
  const { turn, messages, closing } = run;
  const hook = nextHook(rules, 'beforeTurn', from);
  if (hook >= 0) {
    run.step = { type: 'before_turn', hook, shown, texts };
    return decision.callHook(hook, { name: 'beforeTurn', subject: { turn, messages } });
  }
  // Hooks take their time: nothing is asked once the run is to end (S8).
  if (run.interrupted !== null) return decision.interrupted(run.interrupted);
  run.step = { type: 'asking' };
  const toolChoice = closing === null ? null : closing.missing.length === 0 ? 'none' : 'auto';
  const sent = texts.length === 0 ? shown : withAppended(shown, texts.join('\n\n'));
  effects.push({ type: 'ask_model', turn, messages: sent, toolChoice });
  return wait;
}

export function afterBeforeTurn(
  decision: Decision,
  { hook, shown, texts }: Extract<RunStep, { type: 'before_turn' }>,
  answer: HookAnswer,
): Move {
  const request = {
    shown: answer !== null && 'messages' in answer ? answer.messages : shown,
    texts:
      answer !== null && 'append' in answer && answer.append !== ''
        ? [...texts, answer.append]
        : texts,
  };
  return beforeTurn(decision, hook + 1, request);
}

export function answered(decision: Decision, given: ModelResponse, streamed: string): Move {
  const { run } = decision;
  const response = inToolLetters(given);
  const { content, model, stopReason } = response;
  const message = { role: 'assistant', content } as const;
  run.text = textOf(content) || run.text;
  if (!isBlank(content)) run.messages = [...run.messages, message];
  decision.publish({ type: 'model_response', turn: run.turn, message, model, stopReason });
  return afterTurn(decision, 0, response, streamed);
}

/** Calls the next hook after the turn, from `from` on, or goes by the response when none is left. */
export function afterTurn(
  decision: Decision,
  from: number,
  response: ModelResponse,
  streamed: string,
): Move {
  const { run, rules } = decision;
  const hook = nextHook(rules, 'afterTurn', from);
  if (hook < 0) return afterResponse(decision, response);
  run.step = { type: 'after_turn', hook, response, streamed };
  const { content, usage, stopReason } = response;
  const message = { role: 'assistant', content } as const;
  const subject = { turn: run.turn, message, usage, stopReason };
  return decision.callHook(hook, { name: 'afterTurn', subject });
}

/** The model, or a hook around the turn, has failed; `streamed` is the text that had arrived. */
export function turnFailed(decision: Decision, error: Failure, streamed: string): Move {
  const { run } = decision;
  if (run.interrupted !== null) return decision.interrupted(run.interrupted, streamed);
  // Nothing was answered: it is the same turn that is asked again.
  const isFull = run.step.type === 'asking' && error.code === 'context_window_exceeded';
  if (isFull && decision.makeSpace(false)) return askModel;
  const end: RunEnd = endAfterFailure(error, streamed || run.text);
  return { type: 'finish', end: run.closing === null ? end : withoutSummary(run.closing.end, end) };
}
