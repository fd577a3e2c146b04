// Owns what happens to a run and what it wants done: the events and the effects of the loop. Types only.
import type { Failure } from '../../base/failures.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Message, ToolUseBlock } from '../../protocol/history.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { Steer } from '../../protocol/run-controls.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { CallAnswer } from '../../protocol/saved-run.ts';
import type { HookCall } from '../hook-call.ts';

/** What happens to a run. */
export type RunInput =
  /** It begins, or is in a thread again; what its calls came to meanwhile follows. */
  | { readonly type: 'continue' }
  | CallAnswer
  | { readonly type: 'model_answered'; readonly response: ModelResponse }
  /** A tool in the thread needs a person's approval, and has not run. */
  | { readonly type: 'approval_needed'; readonly place: number }
  /** A tool emitted a variable. */
  | { readonly type: 'emitted'; readonly name: string; readonly value: string }
  | { readonly type: 'interrupted'; readonly error: Failure }
  | { readonly type: 'steer'; readonly steer: Steer }
  | { readonly type: 'retract'; readonly id: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' };

/** What a run wants done. Each effect but `publish` and `end` is answered by one input, now or later. */
export type RunEffect =
  /** `isUrgent` events have to leave the thread before any code of a tool runs. */
  | { readonly type: 'publish'; readonly event: RunEvent; readonly isUrgent: boolean }
  | {
      readonly type: 'call_hook';
      /** The place of the hook among those of the agent. */
      readonly at: number;
      readonly call: HookCall;
      /** Of the tool call that the hook is around; null for a hook around the run or a turn. */
      readonly place: number | null;
    }
  | {
      readonly type: 'ask_model';
      readonly turn: number;
      readonly messages: readonly Message[];
      readonly toolChoice: 'auto' | 'none' | null;
    }
  | {
      readonly type: 'call_tool';
      readonly turn: number;
      /** Of the call, among those of the turn: a model may give two of them one id. */
      readonly place: number;
      readonly call: ToolUseBlock;
      readonly where: 'thread' | 'host';
      /** What a person answered for a tool in the thread; null when none was asked. */
      readonly approval: Approval | null;
    }
  /** Asks a person whether a tool in the thread may run. */
  | { readonly type: 'ask_approval'; readonly place: number; readonly call: ToolUseBlock }
  | { readonly type: 'end'; readonly end: RunEnd };
