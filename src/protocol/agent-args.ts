// Owns what an agent's activation is started with, and the mail that asks it for a run. Types only.
import type { Message } from './history.ts';
import type { Steer } from './run-controls.ts';
import type { ResumePoint } from './saved-run.ts';
import type { WorkerSpec } from './worker-spec.ts';

/** What is an agent's own. */
export type OwnArgs = {
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly depth: number;
  };
  /** A task's agent ends with its run; a spawned one waits for the next. */
  readonly endsWithRun: boolean;
  /** A parked run continues here (V7). */
  readonly resume?: ResumePoint;
};

/** What an agent's activation is started with. */
export type AgentArgs = OwnArgs & {
  /** What it remembers from earlier runs; of a parked run, its own conversation too. */
  readonly memory: readonly Message[];
  readonly spec: WorkerSpec;
};

/** The mail of an agent: one run. */
export type RunRequest = {
  readonly type: 'run';
  readonly runId: string;
  readonly messages: readonly Message[];
  /** Steering messages that arrived before it began. */
  readonly steers?: readonly Steer[];
};
