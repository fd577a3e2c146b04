// Owns one request to the model: the hooks before it, its answer or failure, the hooks after it. Pure.
import type { Failure } from '../../base/failures.ts';
import { type Message, withAppended } from '../../protocol/history.ts';
import type { HookAnswer } from '../../protocol/hooks.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import { inToolLetters } from '../called-names.ts';
import { requiredOutputTools } from '../required-outputs.ts';
import { endAfterFailure, outOfTurns, textOf, withoutSummary } from '../turn.ts';
import { afterResponse } from './after-response.ts';
import { askModel, type Decision, type Move, wait } from './decision.ts';
import type { RunEffect } from './run-effects.ts';
import {
  type Answer,
  asking,
  nextHook,
  type RunRules,
  type RunState,
  type RunStep,
} from './run-state.ts';

type Request = { readonly shown: readonly Message[]; readonly texts: readonly string[] };

/** Calls the next hook before the turn, from `from` on, or the model when none is left. */
export function beforeTurn(decision: Decision, from: number, { shown, texts }: Request): Move {
  const { run, rules, effects } = decision;
  const { turn, messages } = run;
  const hook = nextHook(rules, 'beforeTurn', from);
  if (hook >= 0) {
    run.step = { type: 'before_turn', hook, shown, texts };
    return decision.callHook(hook, { name: 'beforeTurn', subject: { turn, messages } });
  }
  // Hooks take their time: nothing is asked once the run is to end (S8).
  if (run.interrupted !== null) return decision.interrupted(run.interrupted);
  run.step = asking;
  const sent = texts.length === 0 ? shown : withAppended(shown, texts.join('\n\n'));
  effects.push(requestOf(rules, run, sent));
  return wait;
}

/** What the model is asked, with the conversation as it is unless hooks have changed what is shown of it. */
export function requestOf(
  rules: RunRules,
  run: RunState,
  messages = run.messages,
): Extract<RunEffect, { type: 'ask_model' }> {
  return { type: 'ask_model', turn: run.turn, messages, toolChoice: toolChoiceOf(rules, run) };
}

/** A closing message is text, and calls only of tools that take a missing output. */
function toolChoiceOf(rules: RunRules, run: RunState): 'auto' | 'none' | null {
  if (run.closingRequests === 0) return null;
  return requiredOutputTools(rules, run.progress).length === 0 ? 'none' : 'auto';
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

export function answered(decision: Decision, given: ModelResponse): Move {
  const { run } = decision;
  const response = inToolLetters(given);
  const { content, model, stopReason } = response;
  const message = { role: 'assistant', content } as const;
  run.text = textOf(content) || run.text;
  run.step = { type: 'after_turn', hook: -1, response };
  decision.commit({ type: 'model_response', turn: run.turn, message, model, stopReason });
  return afterTurn(decision, 0, response);
}

/** Calls the next hook after the turn, from `from` on, or goes by the response when none is left. */
export function afterTurn(decision: Decision, from: number, response: Answer): Move {
  const { run, rules } = decision;
  const hook = nextHook(rules, 'afterTurn', from);
  if (hook < 0) return afterResponse(decision, response);
  run.step = { type: 'after_turn', hook, response };
  const { content, usage, stopReason } = response;
  const message = { role: 'assistant', content } as const;
  const subject = { turn: run.turn, message, usage, stopReason };
  return decision.callHook(hook, { name: 'afterTurn', subject });
}

/** The model, or a hook around the turn, has failed; `streamed` is the text that had arrived. */
export function turnFailed(decision: Decision, error: Failure, streamed: string): Move {
  const { run, rules } = decision;
  if (run.interrupted !== null) return decision.interrupted(run.interrupted, streamed);
  // Nothing was answered: it is the same turn that is asked again.
  const isFull = run.step.type === 'asking' && error.code === 'context_window_exceeded';
  if (isFull && decision.makeSpace(false)) return askModel;
  const end: RunEnd = endAfterFailure(error, streamed || run.text);
  if (run.closingRequests === 0) return { type: 'finish', end };
  return { type: 'finish', end: withoutSummary(outOfTurns(rules.maxTurns, run.text), end) };
}
