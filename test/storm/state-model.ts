// Owns what a witness keeps of tasks and agents.
import type { Usage } from '#src/index.js';

/** A task as its events tell of it. */
export type SeenTask = {
  readonly id: string;
  readonly goal: string;
  readonly parentId: string | undefined;
  /** The root task of its tree. */
  readonly rootId: string;
  hasStarted: boolean;
  isPaused: boolean;
  /** It waited when it was held. */
  wasWaiting: boolean;
  turnsSincePaused: number;
  lastTurnSeq: number;
  readonly below: Set<SeenTask>;
  readonly endedBelow: { readonly task: SeenTask; readonly seq: number }[];
  usageBelow: readonly number[];
  agentsOfTree: number;
  completedSeq: number | null;
};

/** An agent as its events tell of it. */
export type SeenAgent = {
  state: 'live' | 'parked' | 'passivated' | 'stopped';
  task: SeenTask | null;
};

/** Where an event puts the agent that it is about. */
export const stateAfter = {
  agent_parked: 'parked',
  agent_activated: 'live',
  agent_passivated: 'passivated',
  agent_stopped: 'stopped',
} as const;

/** What totals are compared by. */
export function countsOf({ inputTokens, outputTokens, modelCalls }: Usage): readonly number[] {
  return [inputTokens, outputTokens, modelCalls];
}
