// Owns the last run events of a run whose thread is gone: the results that its calls have on the host (S9, W3). Pure.
import { closedCalls } from '../../agent/history-repair.ts';
import { previewOfResult } from '../../agent/preview.ts';
import { allCallsAnswered } from '../../agent/run/saved-run.ts';
import { answersOf, resultBlock } from '../../agent/tool-result-message.ts';
import type { ToolResultBlock } from '../../protocol/history.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { Run } from '../state.ts';

/** The run events that its thread would have sent for its last turn; none when no result of it is known here. */
export function lastAnswers({ record, answers, spec }: Run): readonly RunEvent[] {
  const { callsOfTurn: calls, parkedCalls, saved, turns: turn } = record;
  const resultOf = (id: string): ToolResultBlock | undefined => {
    const left = parkedCalls[calls.findIndex((call) => call.id === id)];
    if (left !== undefined && left.block !== null) return left.block;
    // Its tool has ended, and a hook after it has not.
    const result = left?.result ?? answers?.tools.get(id);
    return result === undefined ? undefined : resultBlock(id, result);
  };
  if (calls.every(({ id }) => resultOf(id) === undefined)) return [];
  const completed = [...record.openCalls].flatMap(([callId, { name }]): RunEvent[] => {
    const result = resultOf(callId);
    if (result === undefined) return [];
    const isError = result.is_error === true;
    const resultPreview = previewOfResult(result.content);
    return [{ type: 'tool_completed', callId, name, isError, resultPreview }];
  });
  const message = answersOf(closedCalls(calls, resultOf), spec.shared.allFailedText);
  const state = { ...saved, step: allCallsAnswered };
  return [...completed, { type: 'tool_results', turn, message, state }];
}
