// Owns the shape of the view of the tree: one node per agent or task, as plain data. Who makes it is the supervisor.
import type { OutcomeStatus, RunPhase, Usage } from '../base/outcome.ts';

/** One agent, or one task that waits for an agent, at the moment it was asked for. */
export type TreeSnapshot = {
  /** Empty while a task waits for an agent of its own. */
  readonly agentId: string;
  /** Empty while a persistent agent has no run. */
  readonly taskId: string;
  /** The agent it works for; null of a root. */
  readonly parentId: string | null;
  /** The agent's name. */
  readonly name: string;
  /** Its place in the tree: `/lead/reader`. */
  readonly path: string;
  /** 0 for an agent that the program started. */
  readonly depth: number;
  /**
   * `waiting` says `phase` for what; `ready` waits for a thread, `queued` until it may be live. Those of an outcome for what
   * has ended.
   */
  readonly status:
    | 'queued'
    | 'ready'
    | 'running'
    | 'waiting'
    | 'idle'
    | 'passivated'
    | OutcomeStatus;
  /** Milliseconds it has waited so, or has been ready or queued; 0 while it runs. */
  readonly waitingMs: number;
  /** The current phase; for an ended agent, the phase it was in when it ended. */
  readonly phase: RunPhase;
  /** It waits for its model, whose answer has begun to arrive. */
  readonly isAnswering: boolean;
  /** The goal of its task; empty of a persistent agent without a run. */
  readonly goal: string;
  /** The id of its model. */
  readonly model: string;
  /** Model calls of its run so far. */
  readonly turn: number;
  /** The name of a tool whose call is open; null when there is none. */
  readonly tool: string | null;
  /** Milliseconds its run has taken, or a task has waited; 0 of an agent without a run. */
  readonly elapsedMs: number;
  /** Own and below. */
  readonly usage: Usage;
  /** Own and below; the ended ones first where they are asked for. */
  readonly children: readonly TreeSnapshot[];
};

/** What a tree shows. */
export type TreeOptions = {
  /** With what has ended and is still kept: the last 1,000 tasks. Default false. */
  readonly ended?: boolean;
};
