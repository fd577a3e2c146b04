// Owns what follows a response of the model, in an ordinary turn and in a closing one. Pure.
import { unreachable } from '../../base/failures.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import { afterText, requiredOutputTools } from '../required-outputs.ts';
import { answerPrompt, isBlank, notRun, outOfTurns, stepAfter, textOf } from '../turn.ts';
import { askClosing, type Decision, type Move, takeTurn } from './decision.ts';
import { type Answer, betweenTurns } from './run-state.ts';

export function afterResponse(decision: Decision, response: Answer): Move {
  const { run, rules } = decision;
  const isClosing = run.closingRequests > 0;
  const step = stepAfter(response);
  if (step.type === 'run_tools') {
    const { calls } = step;
    // Its time was over while the model answered: the calls of a late answer are not run (B23).
    if (run.interrupted !== null) return decision.interrupted(run.interrupted);
    if (!isClosing) return { type: 'call_tools', calls, known: [] };
    const missing = requiredOutputTools(rules, run.progress);
    const late = calls.filter(({ name }) => !missing.includes(name));
    return { type: 'call_tools', calls, known: late.map(notRun) };
  }
  if (isClosing) return afterClosing(decision, textOf(response.content));
  run.step = betweenTurns;
  switch (step.type) {
    case 'finish': {
      const isFull = step.end.error?.code === 'context_window_exceeded';
      const isLast = run.turn >= rules.maxTurns;
      if (isFull && !isLast && decision.makeSpace(!isBlank(response.content))) return takeTurn;
      return finishOrRemind(decision, step.end);
    }
    case 'ask_again':
      return takeTurn;
    case 'ask_answer':
      return askAnswer(decision, step.end);
    default:
      return unreachable(step);
  }
}

/** The run ends with its closing message, or is asked for it again. */
export function afterClosing({ rules, run }: Decision, text: string): Move {
  const isMissing = requiredOutputTools(rules, run.progress).length > 0;
  if (isMissing || text.trim() === '') return askClosing;
  return { type: 'finish', end: outOfTurns(rules.maxTurns, text) };
}

/** The run ends, unless it is reminded of required outputs that are missing (B20). */
function finishOrRemind(decision: Decision, end: RunEnd): Move {
  const { progress, next } = afterText(decision.rules, decision.run.progress, end);
  decision.run.progress = progress;
  if (next.type === 'finish') return next;
  decision.prompt(next.text);
  return takeTurn;
}

/** Asks once for the answer to a reply of thoughts alone, where a turn is left. */
function askAnswer(decision: Decision, end: RunEnd): Move {
  const { run, rules } = decision;
  const [last] = run.messages.at(-1)?.content ?? [];
  const wasAsked = last?.type === 'text' && last.text === answerPrompt;
  const move = finishOrRemind(decision, end);
  if (move.type !== 'finish' || move.end !== end || wasAsked || run.turn >= rules.maxTurns)
    return move;
  decision.prompt(answerPrompt);
  return takeTurn;
}
