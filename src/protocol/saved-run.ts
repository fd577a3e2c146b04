// Owns what a run leaves behind at each commit, and what it continues from in another thread. Types only.
import type { Failure } from '../base/failures.ts';
import type { Approval } from './approval.ts';
import type { Message, StopReason, TokenCounts, ToolResult, ToolResultBlock } from './history.ts';
import type { HookAnswer } from './hooks.ts';
import type { Steer } from './run-controls.ts';

/** The tool that was called last, and how many times in a row. */
export type Streak = { readonly name: string | null; readonly length: number };

/** One call of the turn in which a run gave its thread up. */
export type SavedCall = {
  readonly step: 'waiting' | 'before_tool' | 'approving' | 'running' | 'after_tool' | 'done';
  /** Its result tells the model that it calls one tool again and again (A81). */
  readonly isNoticed: boolean;
  /** Where its tool runs. Default: on the host. */
  readonly where?: 'thread' | 'host';
  /** The place of the hook that is open. */
  readonly hook?: number;
  /** What the tool receives: hooks may have replaced it. */
  readonly input?: unknown;
  /** What its tool answered; missing before. */
  readonly result?: ToolResult;
  /** What the model gets; null until the call is done. */
  readonly block: ToolResultBlock | null;
};

/** Where a run continues. */
export type SavedStep =
  /** At its beginning. */
  | { readonly type: 'new' }
  /** With the answer of a hook before the run. */
  | { readonly type: 'before_run'; readonly hook: number }
  /** With the answer of a hook before the turn. */
  | {
      readonly type: 'before_turn';
      readonly hook: number;
      readonly texts: readonly string[];
      /** The conversation as hooks want it sent. Default: as it is. */
      readonly shown?: readonly Message[];
    }
  /** With its next turn. */
  | { readonly type: 'between_turns' }
  /** With the request to its model, in the turn that has begun. */
  | { readonly type: 'asking' }
  /** With its next turn, once it is resumed. */
  | { readonly type: 'paused' }
  /** With what follows the last response. */
  | {
      readonly type: 'answered';
      /** The place of the hook after the turn that is open. Default: none has been called. */
      readonly hook?: number;
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

/** What an open call of a run came to: one of its model, of a tool, of a hook, or the question whether a tool may run. */
export type CallAnswer =
  /** `streamed` is the text that had arrived. */
  | { readonly type: 'model_failed'; readonly error: Failure; readonly streamed: string }
  | { readonly type: 'tool_ended'; readonly place: number; readonly result: ToolResult }
  | {
      readonly type: 'approval_answered';
      readonly place: number;
      readonly approval: Approval;
    }
  /** `place` is that of the tool call, among those of the turn, that the hook is around; null for any other hook. */
  | { readonly type: 'hook_answered'; readonly place: number | null; readonly answer: HookAnswer }
  | { readonly type: 'hook_failed'; readonly place: number | null; readonly error: Failure };

export type FailedCall = Extract<CallAnswer, { type: 'model_failed' }>;

/** What the own messages of a run come to, those before `upTo`. */
export type Digest = {
  readonly upTo: number;
  /** The last response with text; below 0 for none. */
  readonly textAt: number;
  /** The last response; below 0 for none. */
  readonly responseAt: number;
  /** The tool that was called last before that response, and how many times in a row. */
  readonly streak: Streak;
};

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
  readonly digest: Digest;
  /** The first messages of its conversation, as many as its model's gateway has. */
  readonly known: number;
  /** What its threads have committed, and how much of that was durable when this was made. Default: nothing is written down. */
  readonly commits?: number;
  readonly durable?: number;
  /** What the calls came to that were open. */
  readonly answers: readonly CallAnswer[];
  /** It was interrupted while it was parked: its activation only has to end it. */
  readonly interrupted?: Failure;
  /** Steering messages that arrived while it was parked. */
  readonly steers?: readonly Steer[];
  /** It pauses before its next model call. */
  readonly isPaused?: boolean;
};
