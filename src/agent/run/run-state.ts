// Owns the state of one run, as plain data: everything the loop knows at any moment. Decides nothing.
import type { Failure } from '../../base/failures.ts';
import type { RunRequest } from '../../protocol/agent-args.ts';
import {
  type Message,
  type ToolResult,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
} from '../../protocol/history.ts';
import type { HookName } from '../../protocol/hooks.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type {
  Closing,
  ParkedCall,
  ParkedRun,
  ResumePoint,
  Streak,
} from '../../protocol/parked-run.ts';
import type { RunProgress } from '../../protocol/required-outputs.ts';
import type { Steer } from '../../protocol/run-controls.ts';
import type { RunEnd } from '../../protocol/run-end.ts';
import type { WorkerSpec } from '../../protocol/worker-spec.ts';
import { noStreak } from '../../tools/repetition.ts';
import { noPreamble, openConversation } from '../prompt/preamble.ts';
import { noProgress } from '../required-outputs.ts';

/** One tool call of the turn that is under way. */
export type CallState = {
  readonly call: ToolUseBlock;
  /** Among the calls of its turn. */
  readonly place: number;
  /** Its result tells the model that it calls one tool again and again (A81). */
  readonly isNoticed: boolean;
  /** In `before_tool` and `after_tool` a hook is open, in `running` the tool. */
  step: 'waiting' | 'before_tool' | 'running' | 'after_tool' | 'done';
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

/** Where a run is: what it waits for. */
export type RunStep =
  | { readonly type: 'new' }
  | { readonly type: 'before_run'; readonly hook: number }
  | { readonly type: 'paused' }
  | {
      readonly type: 'before_turn';
      readonly hook: number;
      /** The conversation as hooks want it sent, and the texts that they add to it. */
      readonly shown: readonly Message[];
      readonly texts: readonly string[];
    }
  | { readonly type: 'asking' }
  | {
      readonly type: 'after_turn';
      readonly hook: number;
      readonly response: ModelResponse;
      readonly streamed: string;
    }
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

/** A run at one moment. Only `advance` changes it; it survives `structuredClone`. */
export type RunState = {
  readonly runId: string;
  step: RunStep;
  messages: readonly Message[];
  /** Where the run's own messages begin. */
  begins: number;
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
  closing: Closing | null;
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
    isShortened: false,
    turn: 0,
    text: '',
    progress: noProgress,
    streak: noStreak,
    steers,
    isPaused,
    interrupted: null,
    hookFailure: null,
    closing: null,
  };
}

/** A parked run, which left its own prompt in the conversation that it continues from. */
export function resumedRun(
  messages: readonly Message[],
  { runId, parked }: Pick<ResumePoint, 'runId' | 'parked'>,
  { steers, isPaused }: EarlyControls,
): RunState {
  const { turn, text, progress, streak, begins, isShortened, hookFailure, closing } = parked;
  return {
    runId,
    step: { type: 'in_tools', calls: parkedCalls(openCallsOf(messages), parked) },
    messages,
    begins,
    isShortened,
    turn,
    text,
    progress,
    streak,
    steers,
    isPaused,
    interrupted: null,
    hookFailure,
    closing,
  };
}

function parkedCalls(calls: readonly ToolUseBlock[], parked: ParkedRun): readonly CallState[] {
  return calls.map((call, place) => {
    const { step, isNoticed, input, block } = parked.calls[place] ?? notBegun;
    // Only calls on the host are open in a parked run.
    return {
      call,
      place,
      isNoticed,
      step,
      where: 'host',
      hook: -1,
      input: step === 'running' ? input : call.input,
      result: null,
      block,
    };
  });
}

const notBegun: ParkedCall = { step: 'waiting', isNoticed: false, block: null };

/** The calls of the last response, while they wait for their results. */
export function openCallsOf(messages: readonly Message[]): readonly ToolUseBlock[] {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? toolCallsOf(last.content) : [];
}

/** The place of the next hook of a name, from `from` on; -1 when none is left. */
export function nextHook({ hooks }: RunRules, name: HookName, from: number): number {
  if (hooks === undefined) return -1;
  for (let at = from; at < hooks.length; at += 1) {
    if (hooks[at]?.names.includes(name) === true) return at;
  }
  return -1;
}
