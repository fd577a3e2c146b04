// Owns agents that gave up their thread while all their calls wait on the host: which to park, where they resume (V7).
import { noProgress } from '../agent/required-outputs.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { ResumePoint } from '../protocol/agent-args.ts';
import type { ToolResultBlock } from '../protocol/history.ts';
import type { RunProgress } from '../protocol/required-outputs.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { Run } from './run.ts';

type ParkedTurn = {
  readonly turn: number;
  /** Calls of the turn that had begun: it is over for its parking when these have ended. */
  readonly begun: number;
  readonly inThread: readonly ToolResultBlock[];
  readonly progress: RunProgress;
};

/** How the calls stand that a parked run waits for. */
type CallsInHand = {
  /** Of those that have ended, in call order. */
  readonly results: readonly ToolResultBlock[];
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
  readonly #parked = new Map<Run, ParkedTurn>();

  /** The agent to ask for its slot: one that only waits; null when there is none, or one was asked already. */
  choose(agents: Iterable<Run>): Run | null {
    let chosen: Run | null = null;
    for (const agent of agents) {
      if (agent.slot === 'parking') return null;
      if (chosen === null && agent.isParkable) chosen = agent;
    }
    return chosen;
  }

  /** Stores what a run reported when it parked, and deletes it when its turn is committed. */
  onRunEvent(agent: Run, event: RunEvent): void {
    switch (event.type) {
      case 'run_parked': {
        const { turn, begun, results: inThread, progress } = event;
        this.#parked.set(agent, { turn, begun, inThread, progress });
        break;
      }
      case 'tool_results':
        agent.hostTools?.forgetResults();
        this.#parked.delete(agent);
        break;
      case 'turn_started':
      case 'park_refused':
        // It had gone on when the request arrived.
        if (agent.slot === 'parking') agent.slot = 'occupied';
        break;
      default:
        break;
    }
  }

  /** True once nothing is left that a parked run waits for; one that cannot go on as it was goes on to end. */
  goesOn(agent: Run): boolean {
    let parked = this.#parked.get(agent);
    if (parked === undefined) {
      // A thread that gave its run up and did not say where it stood is not believed any further.
      agent.endFor(
        'crashed',
        failure('protocol_violation', 'a thread parked a run without a note'),
      );
      parked = { turn: agent.record.turns, begun: 0, inThread: [], progress: noProgress };
      this.#parked.set(agent, parked);
    }
    const { isWaiting, lost } = callsInHand(agent, parked);
    if (isWaiting) return false;
    if (lost !== null) agent.endFor('error', lostFailure(lost));
    return true;
  }

  /** Where a parked run continues, once every call that it had begun is answered. */
  resumePoint(agent: Run): ResumePoint | null {
    const parked = this.#parked.get(agent);
    if (parked === undefined) return null;
    const { results, isWaiting } = callsInHand(agent, parked);
    if (isWaiting) return null;
    const { turn, progress } = parked;
    const { begins, isShortened } = agent.record;
    const answered = results
      .map((result) => result.tool_use_id)
      .filter((id) => !parked.inThread.some((each) => each.tool_use_id === id));
    const point = {
      runId: agent.task.id,
      turn,
      results,
      answered,
      progress,
      begins,
      isShortened,
    };
    return agent.cause === null ? point : { ...point, interrupted: agent.cause.error };
  }

  /** Results that a parked run had in its thread. */
  resultsOf(agent: Run): readonly ToolResultBlock[] {
    return this.#parked.get(agent)?.inThread ?? [];
  }

  forget(agent: Run): void {
    this.#parked.delete(agent);
  }
}

function callsInHand({ record, hostTools }: Run, parked: ParkedTurn): CallsInHand {
  const results: ToolResultBlock[] = [];
  let isWaiting = false;
  let lost: string | null = null;
  for (const { id } of record.callsOfTurn.slice(0, parked.begun)) {
    const inThread = parked.inThread.find((each) => each.tool_use_id === id);
    const result = inThread ?? hostTools?.results.get(id);
    if (result !== undefined) {
      results.push(result);
    } else if (hostTools?.isOpen(id) === true) {
      isWaiting = true;
    } else {
      lost ??= id;
      const content = lostFailure(id).message;
      results.push({ type: 'tool_result', tool_use_id: id, content, is_error: true });
    }
  }
  return { results, isWaiting, lost };
}

function lostFailure(callId: string): Failure {
  return failure('internal', `call ${callId} is no longer performed, and has no result`);
}
