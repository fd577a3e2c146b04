// Checks the line of a provider: which calls are tried again, how an abort leaves it, and what limits in headers do.
import { describe, expect, it } from 'vitest';
import { arrangeClient } from '../client-support.ts';

describe('a call', () => {
  it.each([
    [500, [500, 1_000]],
    [529, [500, 1_000]],
    [0, [500, 1_000]],
  ])('that fails with %i is tried again twice, on its key, then fails', async (status, delays) => {
    const { call, clock, ends, sent, untilIdle } = arrangeClient();
    void call('a');
    await untilIdle();

    for (const [at, delayMs] of delays.entries()) {
      sent[at]?.refuse(status);
      await clock.advance(delayMs - 1);
      expect(sent).toHaveLength(at + 1);
      await clock.advance(1);
    }
    sent[2]?.refuse(status);
    await untilIdle();

    expect(sent.map(({ key }) => key)).toEqual([0, 0, 0]);
    expect(ends).toHaveLength(1);
  });

  it.each([[400], [403], [404]])('that fails with %i is not tried again', async (status) => {
    const { call, ends, sent, untilIdle } = arrangeClient();
    void call('a');
    await untilIdle();

    sent[0]?.refuse(status);
    await untilIdle();

    expect(sent).toHaveLength(1);
    expect(ends).toHaveLength(1);
  });

  it('that streamed is not tried again: it would say things twice', async () => {
    const { call, ends, sent, untilIdle } = arrangeClient();
    void call('a', { hasStreamed: true });
    await untilIdle();

    sent[0]?.refuse(529);
    await untilIdle();

    expect(ends).toEqual(['a model_overloaded']);
  });

  it('that is aborted leaves the line, wherever it waits, and nothing stays behind', async () => {
    const { call, clock, ends, client, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    const [inQueue, inBackoff] = [new AbortController(), new AbortController()];
    void call('a', { signal: inBackoff.signal });
    void call('b', { signal: inQueue.signal });
    await untilIdle();
    expect(client.waiting).toBe(1);

    inQueue.abort();
    sent[0]?.refuse(500);
    await untilIdle();
    inBackoff.abort();
    await untilIdle();

    expect(ends).toEqual(['b aborted', 'a aborted']);
    expect(client.waiting).toBe(0);
    void call('c', { signal: inQueue.signal });
    await untilIdle();
    expect(ends.at(-1)).toBe('c aborted');
    await clock.advance(5_000);
    expect(clock.pending).toBe(0);
  });

  it('that is silent for 5 s delays no other call', async () => {
    const { call, clock, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('silent');
    void call('b');
    await untilIdle();
    expect(sent).toHaveLength(1);

    await clock.advance(5_000);

    expect(sent.map(({ agent }) => agent)).toEqual(['silent', 'b']);
  });
});

describe('limits in headers', () => {
  const full = {
    date: 'Sat, 21 Nov 2026 12:00:00 GMT',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': '2026-11-21T12:00:20Z',
  };

  it('hold every agent of the key until the reset, then let one out', async () => {
    const { call, clock, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a');
    await untilIdle();
    sent[0]?.answer(full);
    await untilIdle();

    for (const agent of ['a', 'b', 'c']) void call(agent);
    await clock.advance(19_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);

    expect(sent).toHaveLength(2);
  });

  it('move an agent to a key with room, without a 429', async () => {
    const { call, rotations, sent, untilIdle } = arrangeClient();
    void call('a');
    await untilIdle();
    sent[0]?.answer(full);
    await untilIdle();

    void call('a');
    await untilIdle();

    expect(sent[1]).toMatchObject({ key: 1 });
    expect(rotations).toMatchObject([{ reason: 'limit_reached' }]);
  });

  it('of tokens hold a call that does not fit, and let a smaller one go', async () => {
    const { call, clock, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a');
    await untilIdle();
    sent[0]?.answer({ 'x-ratelimit-remaining-tokens': '100', 'x-ratelimit-reset-tokens': '6s' });
    await untilIdle();

    void call('big', { tokens: 500 });
    void call('small', { tokens: 100 });
    await untilIdle();
    expect(sent.map(({ agent }) => agent)).toEqual(['a', 'small']);
    sent[1]?.answer();
    await clock.advance(6_000);

    expect(sent.at(-1)).toMatchObject({ agent: 'big' });
  });

  it('count what is still out, and widen as soon as a response begins', async () => {
    const { call, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    for (const agent of ['a', 'b', 'c', 'd']) void call(agent);
    await untilIdle();
    expect(sent).toHaveLength(1);

    sent[0]?.begin({ 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '1m' });
    await untilIdle();

    expect(sent).toHaveLength(2);
    sent[1]?.begin({ 'x-ratelimit-remaining-requests': '2', 'x-ratelimit-reset-requests': '1m' });
    await untilIdle();
    expect(sent).toHaveLength(4);
  });

  it('of a response that overtook another are not raised by the older', async () => {
    const { call, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a');
    await untilIdle();
    sent[0]?.begin();
    void call('b');
    void call('c');
    await untilIdle();
    sent[1]?.answer({ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '1m' });
    await untilIdle();
    expect(sent).toHaveLength(3);

    sent[0]?.answer({ 'x-ratelimit-remaining-requests': '9', 'x-ratelimit-reset-requests': '1m' });
    void call('d');
    await untilIdle();

    expect(sent).toHaveLength(3);
  });

  it('count calls that no response came for as if the provider had not', async () => {
    const { call, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    for (const agent of ['a', 'b', 'c']) void call(agent);
    await untilIdle();
    sent[0]?.begin();
    await untilIdle();
    expect(sent).toHaveLength(2);

    sent[0]?.begin({ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '1m' });
    sent[0]?.answer();
    await untilIdle();

    expect(sent).toHaveLength(2);
  });
});

describe('a call that has another model to ask', () => {
  const usedUp = (reset: string) => ({
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': reset,
  });

  it('does not wait a minute for used up limits; after the minute its provider is asked again', async () => {
    const { call, clock, ends, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a', { hasFallback: true });
    await untilIdle();
    sent[0]?.answer(usedUp('1m'));
    await untilIdle();

    void call('b', { hasFallback: true });
    await untilIdle();
    expect(ends).toEqual(['a answered', 'b model_rate_limited']);

    await clock.advance(60_000);
    void call('c', { hasFallback: true });
    await untilIdle();
    expect(sent.map(({ agent }) => agent)).toEqual(['a', 'c']);
  });

  it('waits as long as the policy waits at most', async () => {
    const { call, clock, ends, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a', { hasFallback: true });
    await untilIdle();
    sent[0]?.answer(usedUp('8s'));
    void call('b', { hasFallback: true });
    await untilIdle();
    expect(ends).toEqual(['a answered']);

    await clock.advance(8_000);
    expect(sent.map(({ agent }) => agent)).toEqual(['a', 'b']);
  });

  it('that is limited with 429 is tried as often as the rest, and waits for no long one', async () => {
    const { call, clock, ends, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a', { hasFallback: true });
    await untilIdle();
    for (const at of [0, 1, 2]) {
      sent[at]?.refuse(429);
      await clock.advance(1_000);
    }
    expect([sent.length, ends]).toEqual([3, ['a model_rate_limited']]);

    void call('b', { hasFallback: true });
    await untilIdle();
    sent[3]?.refuse(429, 60_000);
    await untilIdle();
    expect(ends).toEqual(['a model_rate_limited', 'b model_rate_limited']);
  });
});
