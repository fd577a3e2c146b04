// Owns the last run events of a run whose thread is gone: the results that its calls have on the host (S9, W3). Pure.
import { runEndedFirst } from '../../agent/history-repair.ts';
import { answersOf } from '../../agent/tool-result-message.ts';
import type { ToolResultBlock } from '../../protocol/history.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { Run } from '../state.ts';

/** The run events that its thread would have sent for its last turn; none when no result of it is known here. */
export function lastAnswers(
  { record, hostTools, spec }: Run,
  /** Results that its thread had when it parked. */
  inThread: readonly ToolResultBlock[],
): readonly RunEvent[] {
  const resultOf = (id: string): ToolResultBlock | undefined =>
    inThread.find((each) => each.tool_use_id === id) ?? hostTools?.results.get(id);
  const calls = record.callsOfTurn;
  if (calls.every(({ id }) => resultOf(id) === undefined)) return [];
  const completed = [...record.openCalls].flatMap(([callId, { name }]): RunEvent[] => {
    const result = resultOf(callId);
    if (result === undefined) return [];
    return [{ type: 'tool_completed', callId, name, isError: result.is_error === true }];
  });
  const results = calls.map(
    ({ id }): ToolResultBlock =>
      resultOf(id) ?? {
        type: 'tool_result',
        tool_use_id: id,
        content: runEndedFirst,
        is_error: true,
      },
  );
  const message = answersOf(results, spec.shared.allFailedText);
  return [...completed, { type: 'tool_results', turn: record.turns, message }];
}
