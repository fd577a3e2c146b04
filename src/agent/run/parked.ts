// Owns whether a run can give its thread up, and what it leaves behind when it does (V7). Pure.
import type { ToolResultBlock } from '../../protocol/history.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { RunState } from './run-state.ts';

/** What a run leaves that waits for host tools alone; null for any other. */
export function parkedRun({
  step,
  turn,
  progress,
}: RunState): Extract<RunEvent, { type: 'run_parked' }> | null {
  if (step.type !== 'in_tools') return null;
  const { calls } = step;
  // A call between its hooks is in the thread, wherever its tool runs.
  const open = calls.filter((call) => call.step !== 'waiting' && call.step !== 'done');
  const isOnHost = open.every((call) => call.step === 'running' && call.where === 'host');
  if (open.length === 0 || !isOnHost) return null;
  const waiting = calls.findIndex((call) => call.step === 'waiting');
  const begun = waiting < 0 ? calls.length : waiting;
  const results = calls.flatMap(({ block }): ToolResultBlock[] => (block === null ? [] : [block]));
  return { type: 'run_parked', turn, begun, results, progress };
}
