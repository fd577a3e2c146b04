// Owns agents that gave up their thread while all their calls wait on the host: which to park, where they resume (V7).
import { noProgress } from '../agent/required-outputs.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { ToolResult, ToolResultBlock } from '../protocol/history.ts';
import type { ParkedCall, ParkedRun, ResumePoint } from '../protocol/parked-run.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { noStreak } from '../tools/repetition.ts';
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

export class Parking {
  readonly #parked = new Map<Run, ParkedRun>();

  /** The run to ask for its slot: one that only waits; null when there is none, or one was asked already. */
  choose(runs: Iterable<Run>): Run | null {
    let chosen: Run | null = null;
    for (const run of runs) {
      if (run.agent.slot === 'parking') return null;
      if (chosen === null && isParkable(run)) chosen = run;
    }
    return chosen;
  }

  /** Stores what a run reported when it parked, and deletes it when its turn is committed. */
  onRunEvent(run: Run, event: RunEvent): void {
    switch (event.type) {
      case 'run_parked':
        this.#parked.set(run, event.parked);
        break;
      case 'tool_results':
        run.hostTools?.forgetResults();
        this.#parked.delete(run);
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
  goesOn(run: Run): boolean {
    const parked = this.#stateOf(run);
    const { isWaiting, lost } = callsInHand(run, parked);
    if (isWaiting) return false;
    if (lost !== null) run.endFor('error', lostFailure(lost));
    return true;
  }

  /** What its thread left; a thread that gave its run up and did not leave its state is not believed any further. */
  #stateOf(run: Run): ParkedRun {
    const parked = this.#parked.get(run);
    const calls = run.record.callsOfTurn.length;
    if (parked?.calls.length === calls) return parked;
    run.endFor(
      'crashed',
      failure('protocol_violation', 'a thread parked a run and did not leave its state'),
    );
    const { turns: turn, text, begins, isShortened } = run.record;
    const call: ParkedCall = { step: 'waiting', isNoticed: false, block: null };
    const left: ParkedRun = {
      turn,
      text,
      progress: noProgress,
      streak: noStreak,
      begins,
      isShortened,
      hookFailure: null,
      closing: null,
      calls: Array<ParkedCall>(calls).fill(call),
    };
    this.#parked.set(run, left);
    return left;
  }

  /** Where a parked run continues, once every call that it had begun is answered. */
  resumePoint(run: Run): ResumePoint | null {
    const parked = this.#parked.get(run);
    if (parked === undefined) return null;
    const { results, isWaiting } = callsInHand(run, parked);
    if (isWaiting) return null;
    const point = { runId: run.task.id, parked, results };
    return run.cause === null ? point : { ...point, interrupted: run.cause.error };
  }

  /** Results that a parked run had in its thread. */
  resultsOf(run: Run): readonly ToolResultBlock[] {
    return this.#parked.get(run)?.calls.flatMap(({ block }) => block ?? []) ?? [];
  }

  forget(run: Run): void {
    this.#parked.delete(run);
  }
}

function callsInHand({ record, hostTools }: Run, { calls }: ParkedRun): CallsInHand {
  const results: { readonly place: number; readonly result: ToolResult }[] = [];
  let isWaiting = false;
  let lost: string | null = null;
  for (const [place, { id }] of record.callsOfTurn.entries()) {
    if (calls[place]?.step !== 'running') continue;
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
