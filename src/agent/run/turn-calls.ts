// Owns the turn whose tools are called: it goes on once every call has its result. Pure.
import type { ToolResultBlock } from '../../protocol/history.ts';
import { openCallsOf } from '../history-repair.ts';
import { afterTools } from '../required-outputs.ts';
import { answersOf } from '../tool-result-message.ts';
import { textOf } from '../turn.ts';
import { afterClosing } from './after-response.ts';
import { type Decision, type Move, takeTurn, wait } from './decision.ts';
import type { RunStep } from './run-state.ts';
import { responseAt } from './saved-run.ts';
import { openCalls, proceed } from './tool-calls.ts';

export function callTools(
  decision: Decision,
  { calls, known }: Extract<Move, { type: 'call_tools' }>,
): Move {
  const { run, rules } = decision;
  run.step = { type: 'in_tools', calls: openCalls(rules, run, calls, known) };
  return proceedWithCalls(decision);
}

export function proceedWithCalls(decision: Decision): Move {
  const { run, rules, effects } = decision;
  const { step } = run;
  if (step.type !== 'in_tools') return wait;
  return proceed(rules, run, step.calls, effects) ? allAnswered(decision, step) : wait;
}

function allAnswered(
  decision: Decision,
  { calls: states }: Extract<RunStep, { type: 'in_tools' }>,
): Move {
  const { run, rules } = decision;
  const { turn, text, hookFailure } = run;
  const results = states.flatMap(({ block }): ToolResultBlock[] => (block === null ? [] : [block]));
  if (openCallsOf(run.messages).length > 0) {
    const message = answersOf(results, rules.allFailedText);
    decision.commit({ type: 'tool_results', turn, message });
  }
  if (hookFailure !== null) {
    return { type: 'finish', end: { exitReason: 'error', text, error: hookFailure } };
  }
  const calls = states.map(({ call }) => call);
  const after = afterTools(rules, run.progress, { calls, results, text });
  run.progress = after.progress;
  // Work that finished is kept: a run that reached its goal has done so, interrupted or not (S9).
  if (after.end !== null) return { type: 'finish', end: after.end };
  if (run.interrupted !== null) return decision.interrupted(run.interrupted);
  if (run.closingRequests === 0) return takeTurn;
  return afterClosing(decision, textOf(responseAt(run.messages, -2)));
}
