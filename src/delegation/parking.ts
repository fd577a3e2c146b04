// Owns agents that gave their thread up while the supervisor holds all their calls: who is asked, what they continue from (V7).
import type { AgentNote, ResumePoint } from '../agent/notes.ts';
import type { RunProgress } from '../agent/owed.ts';
import type { ToolResultBlock } from '../models/model.ts';
import type { AgentEntry } from './agent-entry.ts';

type ParkedTurn = {
  readonly turn: number;
  readonly inThread: readonly ToolResultBlock[];
  readonly progress: RunProgress;
};

const noResults: ReadonlyMap<string, ToolResultBlock> = new Map();

export class Parking {
  readonly #parked = new Map<AgentEntry, ParkedTurn>();

  /** The agent to ask for its slot: one that only waits; null when there is none, or one was asked already. */
  choose(agents: Iterable<AgentEntry>): AgentEntry | null {
    let chosen: AgentEntry | null = null;
    for (const agent of agents) {
      if (agent.slot === 'parking') return null;
      if (chosen === null && agent.isParkable) chosen = agent;
    }
    return chosen;
  }

  /** Keeps what a run said when it parked, and forgets it when its turn is committed. */
  note(agent: AgentEntry, note: AgentNote): void {
    switch (note.type) {
      case 'run_parked':
        this.#parked.set(agent, {
          turn: note.turn,
          inThread: note.results,
          progress: note.progress,
        });
        break;
      case 'tool_results':
        agent.hostTools?.forgetResults();
        this.#parked.delete(agent);
        break;
      case 'turn_started':
      case 'park_refused':
        // It had gone on when the wish arrived.
        if (agent.slot === 'parking') agent.slot = 'held';
        break;
      default:
        break;
    }
  }

  /** Where a parked run continues, once every call of its turn is answered. */
  resumePoint(agent: AgentEntry): ResumePoint | null {
    const parked = this.#parked.get(agent);
    if (parked === undefined) return null;
    const onHost = agent.hostTools?.results ?? noResults;
    const results = agent.record.resultsOfTurn(parked.inThread, onHost);
    if (results === null) return null;
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

  forget(agent: AgentEntry): void {
    this.#parked.delete(agent);
  }
}
