// Owns what a run leaves behind at each commit, and what it continues from in another thread. Types only.
import type { Failure } from '../base/failures.ts';
import type { Message, StopReason, TokenCounts, ToolResult, ToolResultBlock } from './history.ts';
import type { Steer } from './run-controls.ts';

/** The tool that was called last, and how many times in a row. */
export type Streak = { readonly name: string | null; readonly length: number };

/** One call of the turn in which a run gave its thread up. */
export type SavedCall = {
  readonly step: 'waiting' | 'running' | 'done';
  /** Its result tells the model that it calls one tool again and again (A81). */
  readonly isNoticed: boolean;
  /** What the tool receives: hooks may have replaced it. */
  readonly input?: unknown;
  /** What the model gets; null until the call is done. */
  readonly block: ToolResultBlock | null;
};

/** Where a run continues. */
export type SavedStep =
  /** At its beginning. */
  | { readonly type: 'new' }
  /** With its next turn. */
  | { readonly type: 'between_turns' }
  /** With the request to its model, in the turn that has begun. */
  | { readonly type: 'asking' }
  /** With its next turn, once it is resumed. */
  | { readonly type: 'paused' }
  /** With what follows the last response. */
  | {
      readonly type: 'answered';
      /** Default: `tool_use` for a response with calls, `end_turn` for any other. */
      readonly stopReason?: StopReason;
      readonly refusalCategory?: string;
      /** The response, when it has neither text nor calls: the conversation does not have it. */
      readonly blank?: Extract<Message, { role: 'assistant' }>;
    }
  /** With the calls of the last response; there are none once the conversation has their results. */
  | { readonly type: 'in_tools'; readonly calls: readonly SavedCall[] };

/** What the conversation of a run does not tell. */
export type SavedDetails = {
  /** The last text of the model. */
  readonly text: string;
  readonly streak: Streak;
  /** The conversation was shortened. */
  readonly isShortened: boolean;
  /** An answer by schema was accepted. */
  readonly isAnswered: boolean;
  /** Turns that were asked again because of their answer. */
  readonly corrections: number;
  /** How often the closing message was asked for. */
  readonly closingRequests: number;
  /** The first failure of a hook around a tool; null while none failed. */
  readonly hookFailure: Failure | null;
};

/**
 * The state of a run beside its conversation and the variables that it emitted, which the supervisor has. Two cross with every
 * turn: what can be told from the conversation is left out.
 */
export type SavedRun = {
  /** The number of the current turn, from 1; 0 before the first. */
  readonly turn: number;
  /** Default: with what follows the last message: a response, or the results of its calls. */
  readonly step?: SavedStep;
  /** Default: text and streak are those of the run's own messages, all else is as when a run begins. */
  readonly details?: SavedDetails;
};

/** A model call that has failed; `streamed` is the text that had arrived. */
export type FailedCall = { readonly error: Failure; readonly streamed: string };

/** Where a run continues that was in a thread before. */
export type ResumePoint = {
  readonly runId: string;
  readonly saved: SavedRun;
  /** Where the run's own messages begin in its conversation. */
  readonly begins: number;
  /** Names of the variables that it emitted. */
  readonly emitted: readonly string[];
  /** The tokens of its last response. */
  readonly usage: TokenCounts;
  /** The first messages of its conversation, as many as its model's gateway has. */
  readonly known: number;
  /** What the calls came to that were running, by their place in the turn. */
  readonly results: readonly { readonly place: number; readonly result: ToolResult }[];
  /** Its model call failed while it was parked. */
  readonly failed?: FailedCall;
  /** It was interrupted while it was parked: its activation only has to end it. */
  readonly interrupted?: Failure;
  /** Steering messages that arrived while it was parked. */
  readonly steers?: readonly Steer[];
  /** It pauses before its next model call. */
  readonly isPaused?: boolean;
};
