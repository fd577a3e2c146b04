// Owns the tool calls of one turn: which begin when, their hooks, the result of each (B27, D20). Pure, but for the state.
import { type Failure, failure, TroupeError } from '../../base/failures.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { ToolResult, ToolResultBlock, ToolUseBlock } from '../../protocol/history.ts';
import type { HookAnswer } from '../../protocol/hooks.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { errorResult } from '../../tools/call.ts';
import { refuseCall } from '../../tools/grants.ts';
import { cutText, defaultMaxResultChars } from '../../tools/output.ts';
import { countCalls, noticed } from '../../tools/repetition.ts';
import { previewOfInput, previewOfResult } from '../preview.ts';
import { resultBlock } from '../tool-result-message.ts';
import { resultsInOrder } from '../turn.ts';
import type { RunEffect } from './run-effects.ts';
import { type CallState, nextHook, type RunRules, type RunState } from './run-state.ts';

/** The calls of a response, none of them begun; counts them for the notice about repetition. */
export function openCalls(
  rules: RunRules,
  run: RunState,
  calls: readonly ToolUseBlock[],
  known: readonly ToolResultBlock[],
): readonly CallState[] {
  const names = calls.map((call) => call.name);
  const { streak, repeated } = countCalls(run.streak, names);
  run.streak = streak;
  const blocks = resultsInOrder(calls, known);
  return calls.map((call, at) => {
    const block = blocks[at] ?? null;
    return {
      call,
      place: at,
      isNoticed: rules.toolSettings.repetitionNotice === true && repeated.has(at),
      step: block === null ? 'waiting' : 'done',
      where: 'thread',
      hook: -1,
      input: call.input,
      result: null,
      block,
    };
  });
}

/** Begins what may begin: all calls at once, or in their order. True when every call has its result. */
export function proceed(
  rules: RunRules,
  run: RunState,
  calls: readonly CallState[],
  effects: RunEffect[],
): boolean {
  const isParallel = rules.parallelToolCalls !== false;
  for (const state of calls) {
    if (state.step === 'waiting') begin(rules, run, state, effects);
    if (!isParallel && isOpen(state)) return false;
  }
  return calls.every(({ step }) => step === 'done');
}

function isOpen({ step }: CallState): boolean {
  return step !== 'waiting' && step !== 'done';
}

function begin(rules: RunRules, run: RunState, state: CallState, effects: RunEffect[]): void {
  const { id: callId, name } = state.call;
  const granted = rules.tools.find((tool) => tool.name === name);
  const refusal = refuseCall(name, rules.tools);
  if (granted === undefined || refusal !== null) {
    const why = refusal ?? failure('unknown_tool', `there is no tool ${name}`);
    complete(state, errorResult(why), effects);
    return;
  }
  // A call whose turn never came has done nothing.
  if (run.interrupted !== null) {
    complete(state, errorResult(run.interrupted), effects);
    return;
  }
  // The record of the start is with the supervisor before any of the tool's code runs (decision 2).
  state.where = granted.where;
  const { turn } = run;
  const { where } = granted;
  const inputPreview = previewOfInput(state.call.input);
  const event: RunEvent = { type: 'tool_started', turn, callId, name, where, inputPreview };
  effects.push({ type: 'publish', event, isUrgent: true });
  const hasHooks = nextHook(rules, 'beforeTool', 0) >= 0 || nextHook(rules, 'afterTool', 0) >= 0;
  // A run that a hook has failed calls no further tool.
  if (hasHooks && run.hookFailure !== null) {
    complete(state, errorResult(run.hookFailure), effects);
    return;
  }
  beforeTool(rules, run, state, effects);
}

/** Calls the next hook before the tool, or the tool when none is left. */
function beforeTool(rules: RunRules, run: RunState, state: CallState, effects: RunEffect[]): void {
  const { id: callId, name } = state.call;
  const { turn } = run;
  const { input } = state;
  state.hook = nextHook(rules, 'beforeTool', state.hook + 1);
  if (state.hook >= 0) {
    state.step = 'before_tool';
    const call = { name: 'beforeTool', subject: { turn, callId, name, input } } as const;
    effects.push({ type: 'call_hook', at: state.hook, call, place: state.place });
    return;
  }
  callTool(run, state, null, effects);
}

function callTool(
  { turn }: RunState,
  state: CallState,
  approval: Approval | null,
  effects: RunEffect[],
): void {
  const { place, where } = state;
  state.step = 'running';
  effects.push({ type: 'call_tool', turn, place, call: callOf(state), where, approval });
}

/** The call as the tool receives it. */
function callOf({ call: { id, name }, input }: CallState): ToolUseBlock {
  return { type: 'tool_use', id, name, input };
}

/** A person is asked: nothing of the tool has run, and nothing of the call is in the thread meanwhile (W1). */
export function approvalNeeded(state: CallState, effects: RunEffect[]): void {
  state.step = 'approving';
  effects.push({ type: 'ask_approval', place: state.place, call: callOf(state) });
}

export function approvalAnswered(
  rules: RunRules,
  run: RunState,
  { state, approval }: { readonly state: CallState; readonly approval: Approval },
  effects: RunEffect[],
): void {
  const why = approval.status === 'denied' ? approval.failure : run.interrupted;
  if (why === null) {
    callTool(run, state, approval, effects);
    return;
  }
  const result = errorResult(why, rules.toolSettings.maxResultChars);
  toolEnded(rules, run, { state, result }, effects);
}

/** Calls the next hook after the tool, or completes the call when none is left. */
function afterTool(rules: RunRules, run: RunState, state: CallState, effects: RunEffect[]): void {
  const { result } = state;
  if (result === null) throw new TroupeError('internal', `call ${state.call.id} has no result yet`);
  const isOver = run.interrupted !== null || run.hookFailure !== null;
  const from = state.step === 'after_tool' ? state.hook + 1 : 0;
  state.hook = isOver ? -1 : nextHook(rules, 'afterTool', from);
  if (state.hook < 0) {
    complete(state, result, effects);
    return;
  }
  state.step = 'after_tool';
  const { id: callId, name } = state.call;
  const { content, isError, failure: why } = result;
  const about = { turn: run.turn, callId, name, input: state.input };
  const subject = { ...about, result: content, isError, failure: why };
  effects.push({
    type: 'call_hook',
    at: state.hook,
    call: { name: 'afterTool', subject },
    place: state.place,
  });
}

/** The tool has ended. What a result holds is kept, interrupted or not (S9). */
export function toolEnded(
  rules: RunRules,
  run: RunState,
  { state, result }: { readonly state: CallState; readonly result: ToolResult },
  effects: RunEffect[],
): void {
  const { input, ...rest } = result;
  // A person changed it: hooks after the tool are given what it ran with.
  if (input !== undefined) state.input = input;
  state.result = input === undefined ? result : rest;
  afterTool(rules, run, state, effects);
}

/** A hook around the call has answered. */
export function hookAnswered(
  rules: RunRules,
  run: RunState,
  { state, answer }: { readonly state: CallState; readonly answer: HookAnswer },
  effects: RunEffect[],
): void {
  if (state.step === 'after_tool') {
    if (state.result !== null && answer !== null && 'result' in answer) {
      const { maxResultChars = defaultMaxResultChars } = rules.toolSettings;
      state.result = { ...state.result, content: cutText(answer.result, maxResultChars) };
    }
    afterTool(rules, run, state, effects);
    return;
  }
  if (answer !== null && 'deny' in answer) {
    complete(state, errorResult(failure('hook_denied', answer.deny)), effects);
    return;
  }
  if (answer !== null && 'input' in answer) state.input = answer.input;
  if (run.interrupted !== null) {
    complete(state, errorResult(run.interrupted), effects);
    return;
  }
  beforeTool(rules, run, state, effects);
}

/** A hook around the call has failed: that ends the run once the turn's calls have ended (D20, D23). */
export function hookFailed(
  run: RunState,
  { state, error }: { readonly state: CallState; readonly error: Failure },
  effects: RunEffect[],
): void {
  if (error.code === 'hook_failed') run.hookFailure ??= error;
  // The tool may have run already: its result is kept in the record.
  complete(state, state.result ?? errorResult(error), effects);
}

function complete(state: CallState, result: ToolResult, effects: RunEffect[]): void {
  const { call, isNoticed } = state;
  const { isError, failure: why } = result;
  const block = resultBlock(call.id, result);
  state.step = 'done';
  state.block = isNoticed ? noticed(call.name, block) : block;
  const about = { callId: call.id, name: call.name, isError };
  const resultPreview = previewOfResult(result.content);
  const completed = { type: 'tool_completed', ...about, resultPreview } as const;
  const event: RunEvent = why === undefined ? completed : { ...completed, failure: why };
  effects.push({ type: 'publish', event, isUrgent: false });
}
