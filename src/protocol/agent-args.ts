// Owns what an agent's activation is started with, and the mail that asks it for a run. Types only.
import type { Failure } from '../base/failures.ts';
import type { Message, ToolResultBlock } from './history.ts';
import type { RunProgress } from './required-outputs.ts';
import type { Steer } from './run-controls.ts';
import type { WorkerSpec } from './worker-spec.ts';

/** What is an agent's own. */
export type OwnArgs = {
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly depth: number;
  };
  /** What it remembers from earlier runs. */
  readonly memory: readonly Message[];
  /** A task's agent ends with its run; a spawned one waits for the next. */
  readonly endsWithRun: boolean;
  /** A parked run continues here (V7). */
  readonly resume?: ResumePoint;
};

/** What an agent's activation is started with. */
export type AgentArgs = OwnArgs & { readonly spec: WorkerSpec };

/** Where a parked run continues: its turn, its progress, and the calls that were answered meanwhile. */
export type ResumePoint = {
  readonly runId: string;
  readonly turn: number;
  /** Of the calls that had begun, which come first: one each, in their order. */
  readonly results: readonly ToolResultBlock[];
  /** Calls that the host answered while the run was parked: no hook has received their results yet. */
  readonly answered: readonly string[];
  readonly progress: RunProgress;
  /** Where its own messages begin in what it is handed as memory. */
  readonly begins: number;
  /** Its conversation was shortened before, which happens once in a run. */
  readonly isShortened: boolean;
  /** It was interrupted while it was parked: its activation only has to end it. */
  readonly interrupted?: Failure;
  /** Steering messages that arrived while it was parked. */
  readonly steers?: readonly Steer[];
  /** It pauses before its next model call. */
  readonly isPaused?: boolean;
};

/** The mail of an agent: one run. */
export type RunRequest = {
  readonly type: 'run';
  readonly runId: string;
  readonly messages: readonly Message[];
  /** Steering messages that arrived before it began. */
  readonly steers?: readonly Steer[];
};
