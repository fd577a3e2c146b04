// Owns whether a run can give its thread up, and what it leaves behind when it does (V7). Pure.
import type { ParkedCall, ParkedRun } from '../../protocol/parked-run.ts';
import type { CallState, RunState } from './run-state.ts';

/** What a run leaves that waits for host tools alone; null for any other. */
export function parkedRun(run: RunState): ParkedRun | null {
  if (run.step.type !== 'in_tools') return null;
  const calls = run.step.calls.map(parkedCall);
  const isOnHost = calls.every((call) => call !== null);
  if (!isOnHost || !calls.some((call) => call.step === 'running')) return null;
  const { turn, text, progress, streak, begins, isShortened, hookFailure, closing } = run;
  return { turn, text, progress, streak, begins, isShortened, hookFailure, closing, calls };
}

/** A call between its hooks is in the thread, wherever its tool runs: null for it. */
function parkedCall({ step, where, isNoticed, input, block }: CallState): ParkedCall | null {
  switch (step) {
    case 'waiting':
    case 'done':
      return { step, isNoticed, block };
    case 'running':
      return where === 'host' ? { step, isNoticed, input, block } : null;
    case 'before_tool':
    case 'after_tool':
      return null;
  }
}
