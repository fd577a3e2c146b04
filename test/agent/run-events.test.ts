// Checks that notes of an agent's thread are believed only in their own shape.
import { describe, expect, it } from 'vitest';
import { failure } from '#src/base/failures.js';
import { parseRunEvent } from '#src/protocol/run-event-schema.js';
import { savedDetails, savedState } from '../support/saved-state.ts';

const toolUse = { type: 'tool_use', id: 'a', name: 'look', input: { deep: [1, null] } };
const response = {
  type: 'model_response',
  turn: 1,
  message: { role: 'assistant', content: [toolUse] },
  model: 'scripted',
  stopReason: 'tool_use',
  state: savedState({ step: { type: 'answered' } }),
};

describe('parseNote', () => {
  it.each([
    { type: 'turn_started', turn: 1 },
    response,
    { type: 'tool_progress', callId: 'a', fraction: 0.5, note: undefined },
    { type: 'park_refused', leaks: ['Timeout'] },
    { type: 'paused' },
    { type: 'went_on' },
    {
      type: 'steered',
      turn: 2,
      id: 's1',
      message: { role: 'user', content: [{ type: 'text', text: 'to the left' }] },
      state: savedState({
        details: savedDetails({ streak: { name: 'look', length: 2 }, corrections: 1 }),
      }),
    },
    { type: 'emitted', name: 'title', value: 'Emma' },
    {
      type: 'run_parked',
      known: 3,
      isAsked: true,
      state: savedState({
        step: {
          type: 'in_tools',
          calls: [
            { step: 'running', isNoticed: true, input: { n: 1 }, block: null },
            { step: 'waiting', isNoticed: false, block: null },
          ],
        },
        details: savedDetails({
          isAnswered: true,
          hookFailure: failure('hook_failed', 'it threw'),
        }),
      }),
    },
    { type: 'run_ended', runId: 't1', end: { exitReason: 'goal', text: '' } },
  ])('passes a note of type $type unchanged', (event) => {
    expect(parseRunEvent(event)).toEqual(event);
  });

  it.each([
    ['null', null],
    ['a text', 'turn_started'],
    ['an unknown type', { type: 'root_granted' }],
    ['what only a gateway streams', { type: 'model_delta', delta: { type: 'text', text: 'x' } }],
    ['a turn below zero', { type: 'turn_started', turn: -1 }],
    ['a message of the system', { ...response, message: { role: 'system', content: [] } }],
    ['a stop reason of its own', { ...response, stopReason: 'bored' }],
    ['a turn that is no number', { ...response, turn: '1' }],
    ['a commit without a state', { ...response, state: undefined }],
    ['a state of its own', { ...response, state: savedState({ turn: -1 }) }],
    ['details without a text', { ...response, state: { turn: 1, details: { corrections: 1 } } }],
    ['an exit reason of its own', { type: 'run_ended', runId: 't', end: { exitReason: 'won' } }],
    ['a place that is none', { type: 'tool_started', turn: 1, callId: 'a', name: 'x', where: '/' }],
  ])('refuses %s as a violation of the link (V1)', (_what, event) => {
    expect(() => parseRunEvent(event)).toThrow(
      expect.objectContaining({ code: 'protocol_violation' }),
    );
  });
});
