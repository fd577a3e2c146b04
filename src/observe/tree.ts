// Owns the shape of the view of the tree: one node per agent or task, as plain data. Who makes it is the supervisor.
import type { OutcomeStatus, RunPhase, Usage } from '../base/outcome.ts';

export type TreeSnapshot = {
  /** Empty while a task waits for an agent of its own. */
  readonly agentId: string;
  /** Empty while a spawned agent has no run. */
  readonly taskId: string;
  /** The agent it works for; null of a root. */
  readonly parentId: string | null;
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  /** Those of an outcome for what has ended. */
  readonly status: 'queued' | 'running' | 'parked' | 'idle' | 'passivated' | OutcomeStatus;
  /** The current phase; for an ended agent, the phase it was in when it ended. */
  readonly phase: RunPhase;
  /** It waits for its model, whose answer has begun to arrive. */
  readonly isAnswering: boolean;
  readonly goal: string;
  readonly model: string;
  readonly turn: number;
  readonly tool: string | null;
  readonly elapsedMs: number;
  /** Own and below. */
  readonly usage: Usage;
  /** Own and below; the ended ones first where they are asked for. */
  readonly children: readonly TreeSnapshot[];
};

export type TreeOptions = {
  /** With what has ended and is still kept: the last 1,000 tasks. Default false. */
  readonly ended?: boolean;
};
