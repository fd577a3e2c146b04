// Checks what follows a model's response: every stop reason, with and without tool calls and text.
import { describe, expect, it } from 'vitest';
import { endAfterFailure, outOfTurns, stepAfter, textOf } from '#src/agent/turn.js';
import { failure, failureCodes } from '#src/base/failures.js';
import {
  type AssistantBlock,
  type StopReason,
  stopReasons,
  toolCallsOf,
} from '#src/protocol/history.js';

const call: AssistantBlock = { type: 'tool_use', id: 'c1', name: 'look', input: {} };
const text: AssistantBlock = { type: 'text', text: 'said' };
const thought: AssistantBlock = { type: 'thinking', thinking: 'hm', signature: 's' };

/** What follows, in a word: the step, or the exit reason and the code of its error. */
function endOf(stopReason: StopReason, content: readonly AssistantBlock[]): string {
  const step = stepAfter({ content, stopReason });
  if (step.type !== 'finish') return step.type;
  const { exitReason, error } = step.end;
  return error === undefined ? exitReason : `${exitReason} ${error.code}`;
}

type Row = readonly [StopReason, withText: string, withCalls: string, thoughtsOnly: string];

const table: readonly Row[] = [
  ['end_turn', 'goal', 'run_tools', 'ask_answer'],
  ['tool_use', 'goal', 'run_tools', 'ask_answer'],
  ['stop_sequence', 'goal', 'run_tools', 'ask_answer'],
  ['pause_turn', 'ask_again', 'run_tools', 'ask_again'],
  ['refusal', 'refused model_refused', 'refused model_refused', 'refused model_refused'],
  [
    'max_tokens',
    'error model_output_limit',
    'error model_output_limit',
    'error model_output_limit',
  ],
  [
    'model_context_window_exceeded',
    'error context_window_exceeded',
    'error context_window_exceeded',
    'error context_window_exceeded',
  ],
];

describe('stepAfter', () => {
  it.each(table)(
    'sorts %s: text %s, calls %s, thoughts only %s',
    (stop, withText, withCalls, thoughts) => {
      expect(endOf(stop, [thought, text])).toBe(withText);
      expect(endOf(stop, [text, call])).toBe(withCalls);
      expect(endOf(stop, [thought])).toBe(thoughts);
    },
  );

  it('has a row for every stop reason there is', () => {
    expect(table.map(([stop]) => stop).sort()).toEqual([...stopReasons].sort());
  });

  it('keeps the text of a conversation that no longer fits the window', () => {
    const step = stepAfter({ content: [text], stopReason: 'model_context_window_exceeded' });

    expect(step).toMatchObject({ end: { exitReason: 'error', text: text.text } });
    expect(step).toMatchObject({ end: { error: { code: 'context_window_exceeded' } } });
  });

  it('takes an answer of blanks for no answer', () => {
    expect(endOf('end_turn', [{ type: 'text', text: ' \n' }])).toBe('error model_empty_answer');
    expect(endOf('end_turn', [])).toBe('error model_empty_answer');
  });

  it('keeps the calls in the order they were asked for', () => {
    const second: AssistantBlock = { ...call, id: 'c2' };
    const step = stepAfter({ content: [call, text, second], stopReason: 'tool_use' });

    expect(step).toEqual({ type: 'run_tools', calls: [call, second] });
  });

  it('keeps the text of a response that failed', () => {
    expect(stepAfter({ content: [text], stopReason: 'max_tokens' })).toMatchObject({
      end: { text: 'said' },
    });
  });
});

describe('endAfterFailure', () => {
  const known = new Map([
    ['interrupted', 'interrupted'],
    ['stopped', 'interrupted'],
    ['aborted', 'interrupted'],
    ['budget_tokens', 'budget'],
    ['budget_cost', 'budget'],
    ['max_turns', 'max_turns'],
    ['model_refused', 'refused'],
  ]);

  it.each(failureCodes)('ends a run whose model call failed with %s', (code) => {
    const error = failure(code, 'why');

    expect(endAfterFailure(error, 'so far')).toEqual({
      exitReason: known.get(code) ?? 'error',
      text: 'so far',
      error,
    });
  });
});

describe('turns', () => {
  it('end with the number that was used up', () => {
    expect(outOfTurns(3, 'so far')).toMatchObject({
      exitReason: 'max_turns',
      text: 'so far',
      error: { code: 'max_turns', message: 'the run used its 3 turns without an answer' },
    });
  });

  it('are read block by block', () => {
    expect(textOf([text, thought, call, text])).toBe('saidsaid');
    expect(toolCallsOf([text, thought, call])).toEqual([call]);
  });
});

describe('a refusal', () => {
  it.each([
    [undefined, 'the model refused to go on', undefined],
    ['cyber', 'the model refused to go on (cyber)', { category: 'cyber' }],
  ])('of the kind %j says so', (refusalCategory, message, detail) => {
    const content = [text];
    const step = stepAfter({
      content,
      stopReason: 'refusal',
      ...(refusalCategory === undefined ? {} : { refusalCategory }),
    });

    expect(step).toEqual({
      type: 'finish',
      end: {
        exitReason: 'refused',
        text: 'said',
        error: failure('model_refused', message, detail === undefined ? {} : { detail }),
      },
    });
  });
});
