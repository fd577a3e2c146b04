// Checks that the gateway ends the calls of an activation that goes on, as an interrupt of its run wants it.
import { describe, expect, it } from 'vitest';
import { scripted } from '#src/testing.js';
import { arrange, asks, binding, untilIdle } from '../gateway-support.ts';

function failed(code: string): object {
  return { type: 'model_failed', callId: 1, failure: expect.objectContaining({ code }) };
}

describe('a token', () => {
  it('has all its calls aborted at once, after what they streamed, and lives on (S9)', async () => {
    const { gateway, replies, send } = arrange();
    const script = { default: [{ text: 'half', hang: true as const }, { text: 'again' }] };
    gateway.bind(binding(scripted(script)));
    send(asks());
    await untilIdle();

    gateway.abort('t-1');
    gateway.abort('t-of-nobody');
    expect(replies).toEqual([
      { type: 'model_delta', callId: 1, turn: 1, delta: { type: 'text', text: 'half' } },
      {
        ...failed('aborted'),
        spent: expect.objectContaining({ isEstimated: true }),
        streamed: 'half',
      },
    ]);
    send(asks({ callId: 2, turn: 2, from: 1, messages: [] }));
    await untilIdle();

    expect(replies.slice(2)).toMatchObject([{ type: 'model_response', callId: 2 }]);
  });
});
