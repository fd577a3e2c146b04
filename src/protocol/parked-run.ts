// Owns what a run leaves behind that gives its thread up, and what it continues from. Types only.
import type { Failure } from '../base/failures.ts';
import type { ToolResult, ToolResultBlock } from './history.ts';
import type { RunProgress } from './required-outputs.ts';
import type { Steer } from './run-controls.ts';
import type { RunEnd } from './run-end.ts';

/** The tool that was called last, and how many times in a row. */
export type Streak = { readonly name: string | null; readonly length: number };

/** The closing message of a run that used its turns up (D18). */
export type Closing = {
  /** How the run ends without a closing message. */
  readonly end: RunEnd;
  /** How often it has been asked for. */
  readonly asked: number;
  /** Tools that take the required outputs it missed when it was asked. */
  readonly missing: readonly string[];
  /** The text of the answer whose calls run; null before it. */
  readonly text: string | null;
};

/** One call of the turn in which a run was parked. */
export type ParkedCall = {
  readonly step: 'waiting' | 'running' | 'done';
  /** Its result tells the model that it calls one tool again and again (A81). */
  readonly isNoticed: boolean;
  /** What the tool receives: hooks may have replaced it. */
  readonly input?: unknown;
  /** What the model gets; null until the call is done. */
  readonly block: ToolResultBlock | null;
};

/** The state of a run whose open calls are all on the host. Its conversation is with the supervisor already. */
export type ParkedRun = {
  readonly turn: number;
  readonly text: string;
  readonly progress: RunProgress;
  readonly streak: Streak;
  readonly begins: number;
  readonly isShortened: boolean;
  readonly hookFailure: Failure | null;
  readonly closing: Closing | null;
  /** One for each call of the last response, in their order. */
  readonly calls: readonly ParkedCall[];
};

/** Where a parked run continues. */
export type ResumePoint = {
  readonly runId: string;
  readonly parked: ParkedRun;
  /** What the calls came to that were running, by their place in the turn. */
  readonly results: readonly { readonly place: number; readonly result: ToolResult }[];
  /** It was interrupted while it was parked: its activation only has to end it. */
  readonly interrupted?: Failure;
  /** Steering messages that arrived while it was parked. */
  readonly steers?: readonly Steer[];
  /** It pauses before its next model call. */
  readonly isPaused?: boolean;
};
