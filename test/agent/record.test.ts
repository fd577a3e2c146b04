// Checks the running copy: what the supervisor knows of a run after any of its notes.
import { describe, expect, it } from 'vitest';
import { RunRecord } from '#src/agent/run/record.js';
import { failure } from '#src/base/failures.js';
import type { AssistantBlock, Message, ToolResultBlock } from '#src/protocol/history.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import { maxTouched } from '#src/tools/touched-files.js';
import { parkedState, savedDetails, savedState } from '../support/saved-state.ts';

const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'Do it.' }] };

function response(turn: number, content: readonly AssistantBlock[]): RunEvent {
  return {
    type: 'model_response',
    turn,
    message: { role: 'assistant', content },
    model: 'scripted',
    stopReason: 'end_turn',
    state: savedState({ step: { type: 'answered' } }),
  };
}

function text(value: string): AssistantBlock {
  return { type: 'text', text: value };
}

function call(id: string): AssistantBlock {
  return { type: 'tool_use', id, name: 'look', input: {} };
}

function started(callId: string, where: 'thread' | 'host' = 'thread'): RunEvent {
  return { type: 'tool_started', turn: 1, callId, name: 'look', where, inputPreview: '{}' };
}

function completed(callId: string, isError = false): RunEvent {
  return { type: 'tool_completed', callId, name: 'look', isError, resultPreview: '' };
}

function result(id: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: id, content: id };
}

function recordOf(...events: readonly RunEvent[]): RunRecord {
  const record = new RunRecord([prompt]);
  for (const event of events) record.apply(event);
  return record;
}

describe('the running copy', () => {
  it('knows the phase after every kind of note (V9)', () => {
    const record = new RunRecord([prompt]);
    const events: readonly RunEvent[] = [
      { type: 'turn_started', turn: 1 },
      { type: 'model_delta', callId: 1, delta: { type: 'text', text: 'a' } },
      response(1, [call('a'), call('b')]),
      started('a'),
      started('b', 'host'),
      { type: 'tool_progress', callId: 'a', fraction: 0.5 },
      completed('a'),
      { type: 'run_parked', state: parkedState([]), known: 0, isAsked: true },
      completed('b'),
      {
        type: 'tool_results',
        turn: 1,
        message: { role: 'user', content: [] },
        state: savedState(),
      },
      { type: 'turn_started', turn: 2 },
    ];

    const phases = events.map((event) => {
      record.apply(event);
      return record.phase;
    });

    expect(phases).toEqual([
      'waiting_for_model',
      'waiting_for_model',
      'between_turns',
      'in_tool',
      'in_tool',
      'in_tool',
      'in_tool',
      'in_tool',
      'between_turns',
      'between_turns',
      'waiting_for_model',
    ]);
  });

  it('ends with the text that had arrived, where its thread does not know of it (S9)', () => {
    const error = failure('gateway_lost', 'the gateway was lost');
    const record = recordOf(
      { type: 'turn_started', turn: 1 },
      { type: 'model_delta', callId: 1, delta: { type: 'text', text: 'half' } },
      { type: 'run_ended', runId: 't1', end: { exitReason: 'error', text: 'of before', error } },
    );

    expect(record.end).toMatchObject({ exitReason: 'error', text: 'half', error });
  });

  it('begins anew with the text of a call that asks the same once more (S9)', () => {
    const streamed = (callId: number, text: string): RunEvent => ({
      type: 'model_delta',
      callId,
      delta: { type: 'text', text },
    });
    const record = recordOf({ type: 'turn_started', turn: 1 }, streamed(1, 'half'));
    record.apply(streamed(2, 'all '));
    record.apply(streamed(2, 'of it'));
    expect(record.text).toBe('all of it');

    // The supervisor asks, by numbers of its own.
    record.asked();
    record.apply(streamed(2, 'of the third'));
    expect(record.text).toBe('of the third');
  });

  it('holds streamed text until its response is committed, and the last text after that (S9)', () => {
    const record = recordOf(
      { type: 'turn_started', turn: 1 },
      { type: 'model_delta', callId: 1, delta: { type: 'thinking', text: 'hm' } },
      { type: 'model_delta', callId: 1, delta: { type: 'text', text: 'half a ' } },
      { type: 'model_delta', callId: 1, delta: { type: 'text', text: 'sentence' } },
    );

    expect(record.partial()).toMatchObject({ text: 'half a sentence', turns: 1 });
    record.apply(response(1, [text('whole'), call('a')]));
    expect(record.text).toBe('whole');
    record.apply(response(2, [call('b')]));
    expect(record.text).toBe('whole');
  });

  it('traces every call with what became of it (S9)', () => {
    const record = recordOf(started('a'), started('b'), started('c'), completed('b', true));
    record.apply(completed('a'));
    record.apply(completed('unknown', true));

    expect(record.partial().toolTrace.map(({ callId, status }) => [callId, status])).toEqual([
      ['a', 'completed'],
      ['b', 'failed'],
      ['c', 'running'],
      ['unknown', 'failed'],
    ]);
    expect(record.toolCalls).toBe(4);
    expect([...record.openCalls.keys()]).toEqual(['c']);
    expect(record.currentTool).toBe('look');
  });

  it('says how long a call took, from its start to its end', () => {
    const record = new RunRecord([prompt]);

    record.apply(started('a'), 1_000);
    record.apply(started('b'), 1_100);
    record.apply(completed('a'), 1_250);

    expect(record.partial().toolTrace).toMatchObject([
      { callId: 'a', name: 'look', status: 'completed', durationMs: 250 },
      { callId: 'b', name: 'look', status: 'running' },
    ]);
    expect(record.partial().toolTrace[1]).not.toHaveProperty('durationMs');
  });

  it('keeps a trace that was handed out as it was', () => {
    const record = recordOf(started('a'));
    const before = record.partial();

    record.apply(completed('a'));

    expect(before.toolTrace[0]?.status).toBe('running');
  });

  it('adds usage up over turns, as it was counted', () => {
    const record = recordOf(response(1, [text('a')]), response(2, [text('b')]));
    const counts = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1 };
    for (const _ of [1, 2]) record.spend({ ...counts, modelCalls: 1, costUsd: 0.5 });

    expect(record.usage).toEqual({
      inputTokens: 20,
      outputTokens: 10,
      cacheReadTokens: 4,
      cacheWriteTokens: 2,
      modelCalls: 2,
      costUsd: 1,
    });
    expect(record.model).toBe('scripted');
  });

  it('grows the conversation by committed messages only', () => {
    const results: Message = { role: 'user', content: [result('a')] };
    const record = recordOf(
      { type: 'model_delta', callId: 1, delta: { type: 'text', text: 'streamed' } },
      response(1, [call('a')]),
      started('a'),
      completed('a'),
      { type: 'tool_results', turn: 1, message: results, state: savedState() },
    );

    expect(record.messages).toEqual([prompt, { role: 'assistant', content: [call('a')] }, results]);
  });

  it('has the state of the last commit, and where the run begins as it was opened (V1)', () => {
    const record = new RunRecord([prompt, prompt], 1);
    const state = savedState({ turn: 7, details: savedDetails({ corrections: 1 }) });

    record.apply({ type: 'steered', turn: 7, id: 's1', message: prompt, state });

    expect(record.saved).toBe(state);
    expect([record.begins, record.messages.length]).toEqual([1, 3]);
  });

  it('names no more files than its bound, counts the others, and wants none after them', () => {
    const touched: RunEvent[] = Array.from({ length: maxTouched + 2 }, (_, at) => {
      return { type: 'touched', path: `${at}` };
    });
    const full = recordOf(...touched.slice(0, maxTouched));
    const over = recordOf(...touched);

    const { files: listed } = full;
    expect([listed.leftOut, listed.wants('0'), listed.wants('new')]).toEqual([0, false, true]);
    expect([over.files.leftOut, over.files.wants('new')]).toEqual([2, false]);
    expect(over.filesTouched).toEqual(full.filesTouched);
  });

  it('names each touched file once', () => {
    const touched: RunEvent = { type: 'touched', path: 'a.txt' };

    expect(recordOf(touched, touched, { ...touched, path: 'b.txt' }).filesTouched).toEqual([
      'a.txt',
      'b.txt',
    ]);
  });

  it('knows how the run ended only from the run itself', () => {
    const end = { exitReason: 'goal', text: 'done' } as const;

    expect(recordOf(response(1, [text('done')])).end).toBeNull();
    expect(recordOf({ type: 'run_ended', runId: 't1', end }).end).toBe(end);
  });
});
