// Checks the gateway core: answers, conversations, tokens, aborts, deltas.
import { describe, expect, it } from 'vitest';
import { TroupeError } from '#src/base/failures.js';
import type { PriceLookup } from '#src/models/budget/model-price.js';
import type { PriceSource } from '#src/protocol/price-source.js';
import { scripted } from '#src/testing.js';
import { arrange, asks, binding, GatedModel, untilIdle } from '../gateway-support.ts';

function failed(code: string, callId = 1): object {
  return { type: 'model_failed', callId, failure: expect.objectContaining({ code }) };
}

describe('the gateway answers', () => {
  it('a bound token with the model of its bind, as the agent of its bind', async () => {
    const { gateway, replies, send, clock } = arrange();
    const model = scripted({ default: [{ text: 'done' }] });
    gateway.bind(binding(model));

    send(asks());
    await untilIdle();

    expect(replies).toEqual([
      {
        type: 'model_response',
        callId: 1,
        response: expect.objectContaining({ content: [{ type: 'text', text: 'done' }] }),
        costUsd: null,
      },
    ]);
    expect(model.requests()[0]?.agent).toEqual({ id: 'a-1', name: 'worker', path: '/worker' });
    expect(clock.pending).toBe(0);
  });

  it('with the cost by the price that was given, or the one of the table; null where neither knows one', async () => {
    const model = scripted({ default: [{ text: 'one', usage: { outputTokens: 3 } }] });
    const costs: unknown[] = [];
    const listed = { model: 'scripted', provider: 'acme', address: null };
    const sources: readonly PriceSource[] = [
      { type: 'listed', listed },
      { type: 'given', price: { inputPerMTok: 0, outputPerMTok: 1_000_000 } },
      { type: 'given', price: 0 },
      { type: 'listed', listed: { ...listed, provider: 'nobody' } },
      { type: 'none' },
    ];
    const lookUp: PriceLookup = ({ provider }, { outputTokens }) =>
      provider === 'acme' ? outputTokens * 0.5 : null;
    for (const price of sources) {
      const { gateway, replies, send } = arrange({ lookUp });
      gateway.bind(binding(model, { price }));
      send(asks());
      await untilIdle();
      costs.push(replies[0]?.type === 'model_response' ? replies[0].costUsd : replies[0]);
    }

    expect(costs).toEqual([1.5, 3, 0, null, null]);
  });

  it('with the failure of the model, whatever it threw', async () => {
    const { gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model));
    const thrower = { id: 'bad', respond: () => JSON.parse('{') };
    gateway.bind(binding(thrower, { token: 't-2' }));

    send(asks());
    model.calls[0]?.fail(new TroupeError('model_rate_limited', 'slow', { retryable: true }));
    send(asks({ callId: 2 }));
    model.calls[1]?.fail(new RangeError('odd'));
    send(asks({ token: 't-2', callId: 3 }));
    await untilIdle();

    expect(replies).toHaveLength(3);
    expect(replies).toContainEqual({
      type: 'model_failed',
      callId: 1,
      failure: { code: 'model_rate_limited', message: 'slow', retryable: true },
    });
    expect(replies).toContainEqual(failed('model_failed', 2));
    expect(replies).toContainEqual(failed('model_failed', 3));
  });

  it('with a failure when the response cannot cross threads', async () => {
    const { gateway } = arrange();
    const replies: unknown[] = [];
    gateway.bind(binding(scripted({ default: [{ toolCalls: [{ name: 'f', input: () => 1 }] }] })));

    gateway.handle(asks(), (reply) => replies.push(structuredClone(reply)));
    await untilIdle();

    expect(replies).toEqual([{ ...failed('model_bad_response'), spent: expect.anything() }]);
  });

  it('a second call under an open number with a refusal', async () => {
    const { gateway, replies, send } = arrange();
    gateway.bind(binding(new GatedModel()));

    send(asks());
    send(asks());
    await untilIdle();

    expect(replies).toEqual([failed('model_bad_request')]);
  });

  it.each([
    [null],
    ['text'],
    [{ type: 'model_request' }],
    [{ type: 'other', token: 't-1', callId: 1 }],
    [{ ...asks(), from: -1 }],
    [{ ...asks(), messages: [{ role: 'system', content: [] }] }],
    [{ ...asks(), callId: 1.5 }],
    [{ ...asks(), head: { system: 'Forged.', tools: [] } }],
    [{ ...asks(), system: 'Forged.' }],
    [{ ...asks(), agent: { id: 'forged' } }],
    [{ type: 'model_abort', token: 't-1', callId: 1, head: {} }],
  ])('nothing to %j, which is no message of its own', (message) => {
    const { gateway, replies } = arrange();

    expect(gateway.handle(message, (reply) => replies.push(reply))).toBe(false);
    expect(replies).toEqual([]);
  });
});

describe('the gateway keeps the conversation', () => {
  it('and puts new messages in from their index on', async () => {
    const { gateway, send } = arrange();
    const model = scripted({ default: [{ text: 'a', repeat: true }] });
    gateway.bind(binding(model));
    const [first, second, third] = ['1', '2', '3'].map((text) => ({
      role: 'user' as const,
      content: [{ type: 'text' as const, text }],
    }));

    send(asks({ messages: [first!, second!] }));
    send(asks({ callId: 2, from: 1, messages: [third!] }));
    await untilIdle();

    const [before, after] = model.requests();
    expect(before?.messages).toEqual([first, second]);
    expect(after).toMatchObject({ system: 'S', messages: [first, third] });
  });

  it('and asks for the whole of it when a request comes with a gap', async () => {
    const { gateway, replies, send } = arrange();
    gateway.bind(binding(new GatedModel()));

    send(asks({ from: 1 }));

    expect(replies).toEqual([failed('gateway_lost')]);
    expect(replies[0]).toMatchObject({ failure: { retryable: true } });
  });
});

describe('a token', () => {
  it('that is unknown is held until its bind', async () => {
    const { clock, gateway, replies, send } = arrange();

    send(asks());
    await clock.advance(4_999);
    expect(replies).toEqual([]);
    gateway.bind(binding(scripted({ default: [{ text: 'late' }] })));
    await untilIdle();

    expect(replies).toMatchObject([{ type: 'model_response', callId: 1 }]);
    expect(clock.pending).toBe(0);
  });

  it('that is unknown for 5 s is refused life_ended', async () => {
    const { clock, replies, send } = arrange();

    send(asks());
    await clock.advance(5_000);

    expect(replies).toEqual([failed('activation_ended')]);
  });

  it('that is held can be aborted', () => {
    const { replies, send } = arrange();

    send(asks());
    send(asks({ callId: 2 }));
    send({ type: 'model_abort', token: 't-1', callId: 1 });

    expect(replies).toEqual([failed('aborted')]);
  });

  it('that is never bound cannot be kept without bound', () => {
    const { replies, send } = arrange();

    for (let callId = 1; callId <= 1_001; callId += 1) send(asks({ token: `t-${callId}`, callId }));

    expect(replies).toEqual([failed('activation_ended', 1_001)]);
  });

  it('that has ended is refused, with what was in flight and held', async () => {
    const { clock, gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model));
    send(asks());
    send(asks({ token: 'held', callId: 2 }));

    gateway.unbind('t-1');
    gateway.unbind('held');
    send(asks({ callId: 3 }));

    expect(replies).toEqual([1, 2, 3].map((callId) => failed('activation_ended', callId)));
    expect(model.calls[0]?.call.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('gets no answer after its end, even from a model that does not listen', async () => {
    const { gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model));
    send(asks());

    gateway.close();
    model.calls[0]?.call.onDelta({ type: 'text', text: 'late' });
    model.calls[0]?.answer('late');
    await untilIdle();

    expect(replies).toEqual([failed('activation_ended')]);
  });
});

describe('an abort', () => {
  it('answers at once, after the text that was streamed and with it', async () => {
    const { clock, gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model));
    send(asks());
    model.calls[0]?.call.onDelta({ type: 'text', text: 'par' });

    send({ type: 'model_abort', token: 't-1', callId: 1 });

    expect(replies).toEqual([
      { type: 'model_delta', callId: 1, turn: 1, delta: { type: 'text', text: 'par' } },
      {
        ...failed('aborted'),
        spent: expect.objectContaining({ isEstimated: true }),
        streamed: 'par',
      },
    ]);
    expect(model.calls[0]?.call.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('of an answered call does nothing', async () => {
    const { gateway, replies, send } = arrange();
    gateway.bind(binding(scripted({ default: [{ text: 'a' }] })));
    send(asks());
    await untilIdle();

    send({ type: 'model_abort', token: 't-1', callId: 1 });

    expect(replies).toHaveLength(1);
  });
});

describe('deltas', () => {
  it('go out as one message per 50 ms, the last before the answer', async () => {
    const { clock, gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model));
    send(asks());
    const [early] = model.calls;

    for (const text of ['a', 'b', 'c']) early?.call.onDelta({ type: 'text', text });
    await clock.advance(49);
    expect(replies).toEqual([]);
    await clock.advance(1);
    early?.call.onDelta({ type: 'text', text: 'd' });
    early?.answer('abcd');
    await untilIdle();

    expect(replies).toMatchObject([
      { type: 'model_delta', delta: { text: 'abc' } },
      { type: 'model_delta', delta: { text: 'd' } },
      { type: 'model_response' },
    ]);
    expect(clock.pending).toBe(0);
  });

  it('go out at 4 KB, and when text follows thinking', () => {
    const { gateway, replies, send } = arrange();
    const model = new GatedModel();
    gateway.bind(binding(model));
    send(asks());
    const [early] = model.calls;

    early?.call.onDelta({ type: 'thinking', text: 'hm' });
    early?.call.onDelta({ type: 'text', text: 'x'.repeat(4_000) });
    expect(replies).toMatchObject([{ delta: { type: 'thinking', text: 'hm' } }]);
    early?.call.onDelta({ type: 'text', text: 'y'.repeat(96) });

    expect(replies).toHaveLength(2);
    expect(replies[1]).toMatchObject({ delta: { text: 'x'.repeat(4_000) + 'y'.repeat(96) } });
  });
});
