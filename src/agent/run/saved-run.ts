// Owns what a run leaves behind at each commit and when it gives its thread up, and how it is revived from that. Pure.
import { TroupeError } from '../../base/failures.ts';
import {
  type AssistantBlock,
  isToolCall,
  type Message,
  type StopReason,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
} from '../../protocol/history.ts';
import type {
  Digest,
  ResumePoint,
  SavedCall,
  SavedDetails,
  SavedRun,
  SavedStep,
} from '../../protocol/saved-run.ts';
import type { Conversation } from '../compaction.ts';
import { openCallsOf } from '../history-repair.ts';
import { isBlank, resultsInOrder } from '../turn.ts';
import { streakIn, textIn } from './digest.ts';
import type { Answer, CallState, EarlyControls, RunRules, RunState, RunStep } from './run-state.ts';

/** A run whose conversation has the results of its turn's calls. */
export const allCallsAnswered: SavedStep = { type: 'in_tools', calls: [] };

/** The run as it is, less what its conversation tells. Two are made in every turn: nothing is copied for the common case. */
export function savedRun(run: RunState): SavedRun {
  const saved: Writable<SavedRun> = { turn: run.turn };
  const step = savedStep(run);
  if (step !== null) saved.step = step;
  if (hasDetails(run)) saved.details = savedDetails(run);
  return saved;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Null for a step that follows from the last message. */
function savedStep({ step, messages }: RunState): SavedStep | null {
  switch (step.type) {
    case 'new':
    case 'between_turns':
    case 'asking':
    case 'paused':
      return { type: step.type };
    case 'before_run':
      return { type: 'before_run', hook: step.hook };
    case 'before_turn': {
      const { hook, texts, shown } = step;
      return { type: 'before_turn', hook, texts, ...(shown === messages ? {} : { shown }) };
    }
    case 'after_turn':
      return savedAnswer(step);
    case 'in_tools':
      if (messages.at(-1)?.role === 'user') return null;
      return { type: 'in_tools', calls: step.calls.map(savedCall) };
    default:
      throw new TroupeError('internal', `a run that is ${step.type} leaves no state`);
  }
}

function hasDetails(run: RunState): boolean {
  const { isShortened, progress, closingRequests, hookFailure, text } = run;
  if (isShortened || progress.isAnswered || progress.corrections > 0) return true;
  if (closingRequests > 0 || hookFailure !== null) return true;
  return text !== '' && text !== textIn(run, run.digest);
}

function savedDetails(run: RunState): SavedDetails {
  const { text, streak, isShortened, progress, closingRequests, hookFailure } = run;
  const { isAnswered, corrections } = progress;
  return { text, streak, isShortened, isAnswered, corrections, closingRequests, hookFailure };
}

function savedAnswer({
  hook,
  response,
}: Extract<RunStep, { type: 'after_turn' }>): SavedStep | null {
  const { content, stopReason, refusalCategory } = response;
  const isKept = !isBlank(content);
  const isExpected = stopReason === expectedStop(content) && refusalCategory === undefined;
  if (isKept && isExpected && hook < 0) return null;
  return {
    type: 'answered',
    stopReason,
    ...(hook < 0 ? {} : { hook }),
    ...(refusalCategory === undefined ? {} : { refusalCategory }),
    ...(isKept ? {} : { blank: { role: 'assistant', content } }),
  };
}

function expectedStop(content: readonly AssistantBlock[]): StopReason {
  return content.some(isToolCall) ? 'tool_use' : 'end_turn';
}

function savedCall({ step, where, hook, isNoticed, input, result, block }: CallState): SavedCall {
  switch (step) {
    case 'waiting':
    case 'done':
      return { step, isNoticed, block };
    case 'running':
    case 'approving':
      return { step, where, isNoticed, input, block };
    case 'before_tool':
      return { step, where, hook, isNoticed, input, block };
    case 'after_tool':
      return { step, where, hook, isNoticed, input, block, ...(result === null ? {} : { result }) };
  }
}

/** They are called in its thread, wherever it is interrupted. */
export function hasHooksAfterRun({ hooks }: Pick<RunRules, 'hooks'>): boolean {
  return hooks?.some(({ names }) => names.includes('afterRun')) === true;
}

/** True for a run that has nothing open in its thread: all that it waits for is its model's or the service's, or it is paused (W1). */
export function canLeave(rules: Pick<RunRules, 'hooks'>, { step }: RunState): boolean {
  const { hooks } = rules;
  const isOnHost = (hook: number): boolean =>
    hooks?.[hook] !== undefined && hooks[hook].module === undefined;
  switch (step.type) {
    case 'asking':
    case 'paused':
      return true;
    case 'before_run':
    case 'before_turn':
    case 'after_turn':
      return isOnHost(step.hook);
    case 'in_tools': {
      const begun = step.calls.filter(({ step }) => step !== 'waiting' && step !== 'done');
      if (begun.length === 1) return begun.every((call) => isOutside(call, isOnHost));
      // What is approved, or let go by its hook, begins at once: it needs the thread while others are open.
      return begun.length > 0 && begun.every(isHostTool);
    }
    default:
      return false;
  }
}

function isOutside(call: CallState, isOnHost: (hook: number) => boolean): boolean {
  const { step, hook } = call;
  if (step === 'running') return isHostTool(call);
  return step === 'approving' || isOnHost(hook);
}

function isHostTool({ step, where }: CallState): boolean {
  return step === 'running' && where === 'host';
}

/** The last text of the model. */
export function textOfRun(
  { details }: SavedRun,
  conversation: Conversation,
  digest: Digest,
): string {
  return details?.text ?? textIn(conversation, digest);
}

/** The run from what it saved last, and the conversation as it was then. */
export function revivedRun(
  messages: readonly Message[],
  { runId, saved, begins, emitted, usage, digest }: RevivedFrom,
  { steers, isPaused }: EarlyControls,
): RunState {
  const step = saved.step ?? stepAfterLast(messages);
  const details = saved.details ?? detailsOf({ messages, begins }, step, digest);
  const { text, streak, isShortened, isAnswered, corrections, ...rest } = details;
  return {
    runId,
    step: revivedStep(messages, step, usage),
    messages,
    begins,
    digest,
    isShortened,
    turn: saved.turn,
    text,
    progress: { emitted, isAnswered, corrections },
    streak,
    steers,
    isPaused,
    interrupted: null,
    ...rest,
  };
}

type RevivedFrom = Omit<ResumePoint, 'known' | 'answers' | 'commits' | 'durable'>;

function stepAfterLast(messages: readonly Message[]): SavedStep {
  return messages.at(-1)?.role === 'assistant' ? { type: 'answered' } : allCallsAnswered;
}

/** The details of a run that saved none. */
function detailsOf(conversation: Conversation, step: SavedStep, digest: Digest): SavedDetails {
  return {
    text: textIn(conversation, digest),
    streak: streakIn(conversation, digest, step.type === 'answered'),
    isShortened: false,
    isAnswered: false,
    corrections: 0,
    closingRequests: 0,
    hookFailure: null,
  };
}

function revivedStep(
  messages: readonly Message[],
  step: SavedStep,
  usage: ResumePoint['usage'],
): RunStep {
  switch (step.type) {
    case 'before_turn': {
      const { type, hook, texts, shown = messages } = step;
      return { type, hook, texts, shown };
    }
    case 'answered': {
      const { hook = -1 } = step;
      return { type: 'after_turn', hook, response: revivedAnswer(messages, step, usage) };
    }
    case 'in_tools':
      return { type: 'in_tools', calls: revivedCalls(messages, step.calls) };
    default:
      return step;
  }
}

function revivedAnswer(
  messages: readonly Message[],
  { stopReason, refusalCategory, blank }: Extract<SavedStep, { type: 'answered' }>,
  usage: ResumePoint['usage'],
): Answer {
  const content = blank?.content ?? responseAt(messages, -1);
  const answer = { content, stopReason: stopReason ?? expectedStop(content), usage };
  return refusalCategory === undefined ? answer : { ...answer, refusalCategory };
}

function revivedCalls(
  messages: readonly Message[],
  saved: readonly SavedCall[],
): readonly CallState[] {
  const open = openCallsOf(messages);
  if (open.length > 0)
    return open.map((call, place) => callState(call, place, saved[place] ?? notBegun));
  const calls = toolCallsOf(responseAt(messages, -2));
  const results = resultsInOrder(calls, resultsOf(messages.at(-1)));
  return calls.map((call, place) =>
    callState(call, place, { step: 'done', isNoticed: false, block: results[place] ?? null }),
  );
}

const notBegun: SavedCall = { step: 'waiting', isNoticed: false, block: null };

function callState(call: ToolUseBlock, place: number, saved: SavedCall): CallState {
  const { step, where = 'host', hook = -1, isNoticed, input, result = null, block } = saved;
  const hasBegun = step !== 'waiting' && step !== 'done';
  const given = hasBegun ? input : call.input;
  return { call, place, isNoticed, step, where, hook, input: given, result, block };
}

/** The content of the response at a place of the conversation; empty where there is none. */
export function responseAt(messages: readonly Message[], place: number): readonly AssistantBlock[] {
  const message = messages.at(place);
  return message?.role === 'assistant' ? message.content : [];
}

function resultsOf(message: Message | undefined): readonly ToolResultBlock[] {
  if (message?.role !== 'user') return [];
  return message.content.filter((block) => block.type === 'tool_result');
}
