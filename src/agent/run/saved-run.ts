// Owns what a run leaves behind at each commit and when it gives its thread up, and how it is revived from that. Pure.
import { TroupeError } from '../../base/failures.ts';
import {
  type AssistantBlock,
  type Message,
  type StopReason,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
} from '../../protocol/history.ts';
import type { ResumePoint, SavedCall, SavedRun, SavedStep } from '../../protocol/saved-run.ts';
import { noStreak } from '../../tools/repetition.ts';
import type { Conversation } from '../compaction.ts';
import { openCallsOf } from '../history-repair.ts';
import { isBlank, resultsInOrder, textOf } from '../turn.ts';
import type { Answer, CallState, EarlyControls, RunState, RunStep } from './run-state.ts';

/** A run whose conversation has the results of its turn's calls. */
export const allCallsAnswered: SavedStep = { type: 'in_tools', calls: [] };

/** The run as it is, less what its conversation tells: what is left out has its default. */
export function savedRun(run: RunState): SavedRun {
  const { turn, begins, text, streak, progress, closingRequests, hookFailure } = run;
  const saved: Writable<SavedRun> = { step: savedStep(run), turn, begins };
  if (text !== lastTextOf(run)) saved.text = text;
  if (run.isShortened) saved.isShortened = true;
  if (streak.length > 0) saved.streak = streak;
  if (progress.isAnswered) saved.isAnswered = true;
  if (progress.corrections > 0) saved.corrections = progress.corrections;
  if (closingRequests > 0) saved.closingRequests = closingRequests;
  if (hookFailure !== null) saved.hookFailure = hookFailure;
  return saved;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function savedStep({ step, messages }: RunState): SavedStep {
  switch (step.type) {
    case 'new':
    case 'between_turns':
    case 'asking':
      return { type: step.type };
    case 'after_turn':
      return savedAnswer(step.response);
    case 'in_tools':
      return openCallsOf(messages).length === 0
        ? allCallsAnswered
        : { type: 'in_tools', calls: step.calls.map(savedCall) };
    default:
      throw new TroupeError('internal', `a run that is ${step.type} leaves no state`);
  }
}

function savedAnswer({ content, stopReason, refusalCategory }: Answer): SavedStep {
  return {
    type: 'answered',
    ...(stopReason === expectedStop(content) ? {} : { stopReason }),
    ...(refusalCategory === undefined ? {} : { refusalCategory }),
    ...(isBlank(content) ? { blank: { role: 'assistant', content } } : {}),
  };
}

function expectedStop(content: readonly AssistantBlock[]): StopReason {
  return toolCallsOf(content).length > 0 ? 'tool_use' : 'end_turn';
}

function savedCall({ step, isNoticed, input, block }: CallState): SavedCall {
  if (step === 'running') return { step, isNoticed, input, block };
  return { step: step === 'done' ? step : 'waiting', isNoticed, block };
}

/** True for a run that waits for host tools alone: a call between its hooks is in the thread, wherever its tool runs (V7). */
export function canPark({ step }: RunState): boolean {
  if (step.type !== 'in_tools') return false;
  const begun = step.calls.filter(({ step }) => step !== 'waiting' && step !== 'done');
  return (
    begun.length > 0 && begun.every(({ step, where }) => step === 'running' && where === 'host')
  );
}

/** The last text of the model. */
export function textOfRun({ text }: SavedRun, conversation: Conversation): string {
  return text ?? lastTextOf(conversation);
}

function lastTextOf({ messages, begins }: Conversation): string {
  for (let at = messages.length - 1; at >= begins; at -= 1) {
    const message = messages[at];
    const text = message?.role === 'assistant' ? textOf(message.content) : '';
    if (text !== '') return text;
  }
  return '';
}

/** The run from what it saved last, and the conversation as it was then. */
export function revivedRun(
  messages: readonly Message[],
  { runId, saved, emitted, usage }: Pick<ResumePoint, 'runId' | 'saved' | 'emitted' | 'usage'>,
  { steers, isPaused }: EarlyControls,
): RunState {
  const { turn, begins, isAnswered = false, corrections = 0 } = saved;
  return {
    runId,
    step: revivedStep(messages, saved.step, usage),
    messages,
    begins,
    isShortened: saved.isShortened === true,
    turn,
    text: textOfRun(saved, { messages, begins }),
    progress: { emitted, isAnswered, corrections },
    streak: saved.streak ?? noStreak,
    steers,
    isPaused,
    interrupted: null,
    hookFailure: saved.hookFailure ?? null,
    closingRequests: saved.closingRequests ?? 0,
  };
}

function revivedStep(
  messages: readonly Message[],
  step: SavedStep,
  usage: ResumePoint['usage'],
): RunStep {
  switch (step.type) {
    case 'answered':
      return { type: 'after_turn', hook: -1, response: revivedAnswer(messages, step, usage) };
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

function callState(
  call: ToolUseBlock,
  place: number,
  { step, isNoticed, input, block }: SavedCall,
): CallState {
  return {
    call,
    place,
    isNoticed,
    step,
    // Of a run that is not in its thread, only calls on the host are open.
    where: 'host',
    hook: -1,
    input: step === 'running' ? input : call.input,
    result: null,
    block,
  };
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
