// Owns agents that gave up their thread while all their calls wait on the host: which to park, where they resume (V7).
import { type Failure, failure } from '../base/failures.ts';
import type { ToolResult } from '../protocol/history.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { ResumePoint } from '../protocol/saved-run.ts';
import type { Run } from './state.ts';
import { isParkable } from './waits.ts';

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
  'park_refused',
  'tool_started',
  'tool_completed',
]);

/** The run to ask for its slot: one that only waits; null when there is none, or one was asked already. */
export function runToPark(runs: Iterable<Run>): Run | null {
  let chosen: Run | null = null;
  for (const run of runs) {
    if (run.agent.slot === 'parking') return null;
    if (chosen === null && isParkable(run)) chosen = run;
  }
  return chosen;
}

/** What a run event of its thread changes for a run that is asked for its slot, or was parked. */
export function followParking(run: Run, event: RunEvent): void {
  switch (event.type) {
    case 'tool_results':
      run.hostTools?.forgetResults();
      break;
    case 'turn_started':
    case 'park_refused':
      // It had gone on when the request arrived.
      if (run.agent.slot === 'parking') run.agent.slot = 'occupied';
      break;
    default:
      break;
  }
}

/** True once nothing is left that a parked run waits for; one that cannot go on as it was goes on to end. */
export function goesOn(run: Run): boolean {
  checkState(run);
  const { isWaiting, lost } = callsInHand(run);
  if (isWaiting) return false;
  if (lost !== null) run.endFor('error', lostFailure(lost));
  return true;
}

/** Where a parked run continues, once every call that it had begun is answered. */
export function resumePoint(run: Run): ResumePoint | null {
  const { record, task, cause } = run;
  if (!record.isParked) return null;
  const { results, isWaiting } = callsInHand(run);
  if (isWaiting) return null;
  const { saved, begins, lastTokens: usage } = record;
  const emitted = Object.keys(record.emitted);
  const point = { runId: task.id, saved, begins, emitted, usage, results };
  return cause === null ? point : { ...point, interrupted: cause.error };
}

/** A thread that gave its run up and did not leave its state is not believed any further. */
function checkState(run: Run): void {
  const { record } = run;
  const { saved, isParked, parkedCalls, callsOfTurn } = record;
  const isWhole = isParked && saved.step?.type === 'in_tools';
  if (isWhole && parkedCalls.length === callsOfTurn.length) return;
  run.endFor(
    'crashed',
    failure('protocol_violation', 'a thread parked a run and did not leave its state'),
  );
  record.apply({ type: 'run_parked', state: { ...saved, step: { type: 'in_tools', calls: [] } } });
}

function callsInHand({ record, hostTools }: Run): CallsInHand {
  const results: { readonly place: number; readonly result: ToolResult }[] = [];
  let isWaiting = false;
  let lost: string | null = null;
  for (const [place, { id }] of record.callsOfTurn.entries()) {
    if (record.parkedCalls[place]?.step !== 'running') continue;
    const block = hostTools?.results.get(id);
    if (block !== undefined) {
      results.push({ place, result: { content: block.content, isError: block.is_error === true } });
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
