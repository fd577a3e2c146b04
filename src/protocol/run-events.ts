// Owns what an agent's thread reports of its run.
import type { Failure } from '../base/failures.ts';
import type { Message, StopReason, ToolResultBlock } from './history.ts';
import type { ModelDelta } from './model-messages.ts';
import type { RunEnd } from './run-end.ts';
import type { SavedRun } from './saved-run.ts';
import type { Shortening } from './shortening.ts';

/** What becomes of a run: what its thread reports, and what streams from its model to the supervisor. */
export type RunEvent =
  | ThreadEvent
  | { readonly type: 'model_delta'; readonly callId: number; readonly delta: ModelDelta };

/**
 * What a thread reports of its run. It never reports the tokens of its model: the gateway counts them. An event that changes
 * the conversation commits: `state` is the run after it, from which it continues wherever its thread is lost.
 */
export type ThreadEvent =
  | { readonly type: 'turn_started'; readonly turn: number }
  | {
      readonly type: 'model_response';
      readonly turn: number;
      readonly message: Message;
      readonly model: string;
      readonly stopReason: StopReason;
      readonly state: SavedRun;
    }
  /** A call took tokens and has no response. */
  | { readonly type: 'model_broke_off'; readonly turn: number }
  | {
      readonly type: 'tool_started';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly where: 'thread' | 'host';
      /** The beginning of the input's JSON. */
      readonly inputPreview: string;
    }
  | {
      readonly type: 'tool_progress';
      readonly callId: string;
      readonly fraction: number;
      readonly note?: string | undefined;
    }
  | {
      readonly type: 'tool_completed';
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      /** The beginning of the result's text. */
      readonly resultPreview: string;
      readonly failure?: Failure | undefined;
      /** What the model gets. Left out where nothing is written down, and of the last call of a turn, whose results follow. */
      readonly result?: ToolResultBlock | undefined;
    }
  | { readonly type: 'touched'; readonly path: string }
  | {
      readonly type: 'tool_results';
      readonly turn: number;
      readonly message: Message;
      readonly state: SavedRun;
    }
  /** The loop itself added a user message. */
  | {
      readonly type: 'prompted';
      readonly turn: number;
      readonly message: Message;
      readonly state: SavedRun;
    }
  /** A steering message is in the conversation now, ahead of the model call of this turn (M2). */
  | {
      readonly type: 'steered';
      readonly turn: number;
      readonly id: string;
      readonly message: Message;
      readonly state: SavedRun;
    }
  /** `paused`: the run stopped before its next turn. `went_on`: it was resumed, or interrupted. */
  | { readonly type: 'paused' }
  | { readonly type: 'went_on' }
  /** The model's window was full: this was done to the conversation before it was asked again. */
  | {
      readonly type: 'shortened';
      readonly turn: number;
      readonly shortening: Shortening;
      readonly state: SavedRun;
    }
  /** A variable has this value now. */
  | { readonly type: 'emitted'; readonly name: string; readonly value: string }
  /**
   * The run leaves its thread; `known` messages of its conversation are with its model's gateway, and `isAsked` when a call of
   * it is in flight there.
   */
  | {
      readonly type: 'run_parked';
      readonly state: SavedRun;
      readonly known: number;
      readonly isAsked: boolean;
    }
  /** The run was asked for its thread and keeps it: it has continued, or `leaks` are open there. */
  | { readonly type: 'park_refused'; readonly leaks: readonly string[] }
  /** A hook failed that cannot change how the run ends. */
  | { readonly type: 'hook_failed'; readonly failure: Failure }
  | { readonly type: 'run_ended'; readonly runId: string; readonly end: RunEnd };

/** Characters of a touched path: what the system takes for one, and more; the supervisor keeps it. */
export const maxPathChars = 4_096;

/** Characters of what an event shows of an input or a result. */
export const maxPreviewChars = 200;

/** Names of what an activation left open in its thread. */
export const maxLeaks = 1_000;

/**
 * What follows such an event in its thread waits until that is durable, with all before it. After a response that is a tool, which
 * has begun then, or a message.
 */
export function mustBeDurable({ type }: RunEvent): boolean {
  switch (type) {
    case 'tool_results':
    case 'prompted':
    case 'steered':
    case 'shortened':
    case 'tool_started':
      return true;
    default:
      return false;
  }
}
