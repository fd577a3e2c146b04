// Owns the state of one run, as plain data: everything the loop knows at any moment. Decides nothing.
import type { Failure } from '../../base/failures.ts';
import type { RunRequest } from '../../protocol/agent-args.ts';
import type { Message, ToolResult, ToolResultBlock, ToolUseBlock } from '../../protocol/history.ts';
import type { HookName } from '../../protocol/hooks.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { RunProgress } from '../../protocol/required-outputs.ts';
import type { Steer } from '../../protocol/run-controls.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { Digest, Streak } from '../../protocol/saved-run.ts';
import type { WorkerSpec } from '../../protocol/worker-spec.ts';
import { noStreak } from '../../tools/repetition.ts';
import { noPreamble, openConversation } from '../prompt/preamble.ts';
import { noProgress } from '../required-outputs.ts';
import { emptyDigest } from './digest.ts';

/** One tool call of the turn that is under way. */
export type CallState = {
  readonly call: ToolUseBlock;
  /** Among the calls of its turn. */
  readonly place: number;
  /** Its result tells the model that it calls one tool again and again (A81). */
  readonly isNoticed: boolean;
  /** In `before_tool` and `after_tool` a hook is open, in `approving` the question to a person, in `running` the tool. */
  step: 'waiting' | 'before_tool' | 'approving' | 'running' | 'after_tool' | 'done';
  where: 'thread' | 'host';
  /** The place of the hook that is open. */
  hook: number;
  /** What the tool receives: hooks may have replaced it. */
  input: unknown;
  /** What its tool answered; null before. */
  result: ToolResult | null;
  /** What the model gets; null until the call is done. */
  block: ToolResultBlock | null;
};

/** What a run goes by of its model's answer. */
export type Answer = Pick<ModelResponse, 'content' | 'stopReason' | 'usage' | 'refusalCategory'>;

/** Where a run is: what it waits for. */
export type RunStep =
  | { readonly type: 'new' }
  | { readonly type: 'before_run'; readonly hook: number }
  | { readonly type: 'between_turns' }
  | { readonly type: 'paused' }
  | {
      readonly type: 'before_turn';
      readonly hook: number;
      /** The conversation as hooks want it sent, and the texts that they add to it. */
      readonly shown: readonly Message[];
      readonly texts: readonly string[];
    }
  | { readonly type: 'asking' }
  /** `hook` is -1 before the first is called. */
  | { readonly type: 'after_turn'; readonly hook: number; readonly response: Answer }
  | {
      readonly type: 'in_tools';
      readonly calls: readonly CallState[];
    }
  | {
      readonly type: 'after_run';
      readonly hook: number;
      readonly end: RunEnd;
      /** What the first hook that failed threw; null while none has. */
      readonly failure: Failure | null;
    }
  | { readonly type: 'ended'; readonly end: RunEnd };

export const betweenTurns: RunStep = { type: 'between_turns' };
export const asking: RunStep = { type: 'asking' };

/** A run at one moment. Only `advance` changes it; it survives `structuredClone`. */
export type RunState = {
  readonly runId: string;
  step: RunStep;
  messages: readonly Message[];
  /** Where the run's own messages begin. */
  begins: number;
  /** Of its own messages. */
  digest: Digest;
  isShortened: boolean;
  /** The number of the current turn, from 1; 0 before the first. */
  turn: number;
  /** The last text of the model. */
  text: string;
  progress: RunProgress;
  streak: Streak;
  /** Steering messages that it has not taken yet. */
  steers: readonly Steer[];
  isPaused: boolean;
  /** Why it was interrupted; null when it was not. */
  interrupted: Failure | null;
  /** The first failure of a hook around a tool: it ends the run once the turn's calls are answered (D23). */
  hookFailure: Failure | null;
  /** How often its closing message was asked for, once its turns are used up (D18). */
  closingRequests: number;
};

/** What of an agent's spec the loop goes by. It does not change during a run. */
export type RunRules = Pick<
  WorkerSpec,
  | 'tools'
  | 'maxTurns'
  | 'summaryTurn'
  | 'parallelToolCalls'
  | 'toolSettings'
  | 'outputs'
  | 'answer'
  | 'finishTools'
  | 'allFailedText'
  | 'opening'
  | 'hooks'
>;

/** Steering and pauses that reached the agent before its run began. */
export type EarlyControls = { readonly steers: readonly Steer[]; readonly isPaused: boolean };

/** A run that begins. */
export function newRun(
  rules: RunRules,
  memory: readonly Message[],
  { runId, messages }: Pick<RunRequest, 'runId' | 'messages'>,
  { steers, isPaused }: EarlyControls,
): RunState {
  const opened = openConversation(rules.opening ?? noPreamble, memory, messages);
  return {
    runId,
    step: { type: 'new' },
    messages: opened.messages,
    begins: opened.begins,
    digest: emptyDigest,
    isShortened: false,
    turn: 0,
    text: '',
    progress: noProgress,
    streak: noStreak,
    steers,
    isPaused,
    interrupted: null,
    hookFailure: null,
    closingRequests: 0,
  };
}

/** The place of the next hook of a name, from `from` on; -1 when none is left. */
export function nextHook({ hooks }: RunRules, name: HookName, from: number): number {
  if (hooks === undefined) return -1;
  for (let at = from; at < hooks.length; at += 1) {
    if (hooks[at]?.names.includes(name) === true) return at;
  }
  return -1;
}
