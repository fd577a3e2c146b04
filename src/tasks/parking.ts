// Owns where a run goes on that has left its thread, and what its calls on the host have come to meanwhile (W3).
import type { RunRecord } from '../agent/run/record.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { ToolResult } from '../protocol/history.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { ResumePoint } from '../protocol/saved-run.ts';
import type { Run } from './state.ts';

/** How the calls stand that a parked run waits for. */
type CallsInHand = {
  /** What those came to that were running and have ended. */
  readonly results: ResumePoint['results'];
  readonly isWaiting: boolean;
  /** The first call that has no result and is no longer performed; null when there is none. */
  readonly lost: string | null;
};

/** With one call less a run may have become one that only waits; what a call waits for may be known ahead of its start. */
export const changesWaits: ReadonlySet<RunEvent['type']> = new Set([
  'tool_started',
  'tool_completed',
]);

/** Its thread has left the state of a run that waits outside of it; another state is a fault of that thread. */
export function isLeft({ isParked, saved, phase, parkedCalls, callsOfTurn }: RunRecord): boolean {
  if (!isParked) return false;
  switch (saved.step?.type) {
    case 'in_tools':
      return parkedCalls.length === callsOfTurn.length;
    case 'asking':
      return phase === 'waiting_for_model';
    default:
      return saved.step?.type === 'paused';
  }
}

/** True once nothing is left that a parked run waits for; one that cannot go on as it was goes on to end. */
export function goesOn(run: Run): boolean {
  const { isWaiting, lost } = callsInHand(run);
  if (isWaiting) return false;
  if (lost !== null) run.endFor('error', lostFailure(lost));
  return true;
}

/** Where a run continues that has left a thread, once every call that it had begun is answered; null for one that begins. */
export function resumePoint(run: Run): ResumePoint | null {
  const { record, task, cause, thread } = run;
  const { failedCall } = thread;
  if (!thread.hasLeft) return null;
  const { results, isWaiting } = callsInHand(run);
  if (isWaiting) return null;
  const { saved, begins, known, lastTokens: usage } = record;
  const emitted = Object.keys(record.emitted);
  const point = { runId: task.id, saved, begins, emitted, usage, known, results };
  const failed = failedCall === null ? {} : { failed: failedCall };
  return {
    ...point,
    ...failed,
    ...(cause === null ? {} : { interrupted: failure('interrupted', cause.error.message) }),
  };
}

function callsInHand({ record, hostTools }: Run): CallsInHand {
  const results: { readonly place: number; readonly result: ToolResult }[] = [];
  let isWaiting = false;
  let lost: string | null = null;
  for (const [place, { id }] of record.callsOfTurn.entries()) {
    if (record.parkedCalls[place]?.step !== 'running') continue;
    const result = hostTools?.results.get(id);
    if (result !== undefined) {
      results.push({ place, result });
    } else if (hostTools?.isOpen(id) === true) {
      isWaiting = true;
    } else {
      lost ??= id;
      results.push({ place, result: { content: lostFailure(id).message, isError: true } });
    }
  }
  return { results, isWaiting, lost };
}

function lostFailure(callId: string): Failure {
  return failure('internal', `call ${callId} is no longer performed, and has no result`);
}
