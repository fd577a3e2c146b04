// Owns what follows a model's response: a pure decision over every stop reason. Asks no model, runs no tool.
import { type Failure, failure, unreachable } from '../base/failures.ts';
import {
  type AssistantBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  toolCallsOf,
} from '../protocol/history.ts';
import { imagesOf } from '../protocol/image.ts';
import type { ModelResponse } from '../protocol/model-messages.ts';
import type { RunEnd } from '../protocol/run-end.ts';

export type NextStep =
  | { readonly type: 'run_tools'; readonly calls: readonly ToolUseBlock[] }
  /** Send the conversation again unchanged: the provider paused a long turn. */
  | { readonly type: 'ask_again' }
  /** The model has only thought: it may be asked for its answer, else the run ends so. */
  | { readonly type: 'ask_answer'; readonly end: RunEnd }
  | { readonly type: 'finish'; readonly end: RunEnd };

/** The text of a response: its text blocks, joined. */
export function textOf(content: readonly AssistantBlock[]): string {
  let text = '';
  for (const block of content) if (block.type === 'text') text += block.text;
  return text;
}

/** True without text and calls, thoughts aside. Providers refuse a history with such a message, so none is kept. */
export function isBlank(content: readonly AssistantBlock[]): boolean {
  return content.every(isBlankBlock);
}

function isBlankBlock(block: AssistantBlock): boolean {
  return isThought(block) || (block.type === 'text' && block.text.trim() === '');
}

function isThought({ type }: AssistantBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Sorts every stop reason; a refused or cut response never runs its tools. */
export function stepAfter(
  response: Pick<ModelResponse, 'content' | 'stopReason' | 'refusalCategory'>,
): NextStep {
  const text = textOf(response.content);
  const calls = toolCallsOf(response.content);
  switch (response.stopReason) {
    case 'tool_use':
    case 'end_turn':
    case 'stop_sequence':
      if (calls.length > 0) return { type: 'run_tools', calls };
      if (text.trim() !== '' || imagesOf(response.content).length > 0) return reached(text);
      return response.content.some(isThought)
        ? { type: 'ask_answer', end: unanswered(text) }
        : { type: 'finish', end: unanswered(text) };
    case 'pause_turn':
      return calls.length > 0 ? { type: 'run_tools', calls } : { type: 'ask_again' };
    case 'refusal':
      return {
        type: 'finish',
        end: {
          exitReason: 'refused',
          text,
          error: refusalOf(response.refusalCategory),
        },
      };
    case 'max_tokens':
      return failed(text, failure('model_output_limit', 'the response was cut at its token limit'));
    case 'model_context_window_exceeded':
      return failed(
        text,
        failure('context_window_exceeded', 'the conversation no longer fits the model’s window'),
      );
    default:
      return unreachable(response.stopReason);
  }
}

function refusalOf(category: string | undefined): Failure {
  const message = 'the model refused to go on';
  if (category === undefined) return failure('model_refused', message);
  return failure('model_refused', `${message} (${category})`, { detail: { category } });
}

function unanswered(text: string): RunEnd {
  const error = failure('model_empty_answer', 'the model ended its turn without any text');
  return { exitReason: 'error', text, error };
}

/** The loop's message after a reply of thoughts alone. */
export const answerPrompt =
  'Your last reply held only your thoughts, which are not seen. Give your answer now, as text.';

/** What a failed model call means for the run. */
export function endAfterFailure(error: Failure, text: string): RunEnd {
  switch (error.code) {
    case 'interrupted':
    case 'stopped':
    case 'aborted':
      return { exitReason: 'interrupted', text, error };
    case 'budget_tokens':
    case 'budget_cost':
      return { exitReason: 'budget', text, error };
    case 'max_turns':
      return { exitReason: 'max_turns', text, error };
    case 'model_refused':
      return { exitReason: 'refused', text, error };
    default:
      return { exitReason: 'error', text, error };
  }
}

/** The end of a run that used its turns up. */
export function outOfTurns(maxTurns: number, text: string): RunEnd {
  const message = `the run used its ${maxTurns} turns without an answer`;
  return { exitReason: 'max_turns', text, error: failure('max_turns', message) };
}

/**
 * The loop's request for a closing message, for a run that used its turns up (D18). `missing` are the tools that take
 * the required outputs it still misses.
 */
export function closingPrompt(missing: readonly string[]): string {
  if (missing.length > 0) {
    return `Your turns are used up. Give your answer now by calling ${missing.join(' and ')}; no other tool is run.`;
  }
  return 'Your turns are used up. Call no more tools. Sum up what you did, what you found, and what is left to do.';
}

/** What a call is answered that comes when the turns are used up. */
export function notRun({ id }: ToolUseBlock): ToolResultBlock {
  const content = 'This call was not run: your turns are used up.';
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}

/** The end of a run whose closing message failed: the summary's failure is added to the detail of its error (D23). */
export function withoutSummary(end: RunEnd, summary: RunEnd): RunEnd {
  const { error } = end;
  if (error === undefined || summary.error === undefined) return end;
  const detail = { ...error.detail, summary: summary.error };
  return { ...end, text: summary.text || end.text, error: { ...error, detail } };
}

function reached(text: string): NextStep {
  return { type: 'finish', end: { exitReason: 'goal', text } };
}

function failed(text: string, error: Failure): NextStep {
  return { type: 'finish', end: { exitReason: 'error', text, error } };
}

/** The known result of each call, in the order of the calls; a result answers one call, also where ids repeat. */
export function resultsInOrder(
  calls: readonly ToolUseBlock[],
  known: readonly ToolResultBlock[],
): readonly (ToolResultBlock | undefined)[] {
  const left = [...known];
  return calls.map(({ id }) => {
    const at = left.findIndex((result) => result.tool_use_id === id);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
}
