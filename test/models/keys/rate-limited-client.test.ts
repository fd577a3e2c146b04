// Checks the line of a provider: leases, rotation, waits that are kept once for all.
import { describe, expect, it } from 'vitest';
import { leaseStrategies } from '#src/protocol/key-pool.js';
import { arrangeClient } from '../client-support.ts';

describe('leases (C41)', () => {
  it('two parallel agents lease different keys, and keep them from call to call (C41)', async () => {
    const { call, sent, untilIdle } = arrangeClient();

    for (const agent of ['a', 'b', 'a', 'b']) {
      void call(agent);
      await untilIdle();
      sent.at(-1)?.answer();
      await untilIdle();
    }

    expect(sent.map(({ agent, key }) => `${agent}${key}`)).toEqual(['a0', 'b1', 'a0', 'b1']);
  });

  it.each([
    ['fill_first', [0, 0, 0, 0]],
    ['round_robin', [0, 1, 2, 0]],
    ['least_used', [0, 1, 2, 0]],
  ] as const)('%s gives new agents the keys %j (C41)', async (strategy, expected) => {
    const { call, sent, untilIdle } = arrangeClient({ strategy, labels: ['x', 'y', 'z'] });

    for (const agent of ['a', 'b', 'c', 'd']) {
      void call(agent);
      await untilIdle();
      sent.at(-1)?.answer();
      await untilIdle();
    }

    expect(sent.map(({ key }) => key)).toEqual(expected);
    expect(leaseStrategies).toContain(strategy);
  });

  it('a released lease is free for the next agent (C41)', async () => {
    const { call, client, sent, untilIdle } = arrangeClient();
    for (const agent of ['a', 'b']) {
      void call(agent);
      await untilIdle();
      sent.at(-1)?.answer();
    }
    await untilIdle();

    client.release('b');
    void call('c');
    await untilIdle();

    expect(sent.at(-1)).toMatchObject({ agent: 'c', key: 1 });
  });
});

describe('a 429 (C41)', () => {
  it.each([[3_000], [undefined]])(
    'that names a wait of %s rotates the lease at once: another key is free (C41)',
    async (waitMs) => {
      const { call, clock, ends, rotations, sent, untilIdle } = arrangeClient();
      void call('a');
      await untilIdle();

      sent[0]?.refuse(429, waitMs);
      await untilIdle();

      expect(sent[1]).toMatchObject({ agent: 'a', key: 1 });
      sent[1]?.answer();
      await untilIdle();
      expect(ends).toEqual(['a answered']);
      expect(rotations).toEqual([
        {
          agent: { id: 'a', path: '/a' },
          endpoint: 'anthropic at http://127.0.0.1:1',
          from: 'key 1',
          to: 'key 2',
          reason: 'rate_limited',
        },
      ]);
      await clock.advance(3_000);
      expect(clock.pending).toBe(0);
    },
  );

  it('on every key is waited for until the first of them is whole again (C41)', async () => {
    const { call, clock, ends, sent, untilIdle } = arrangeClient();
    void call('a');
    await untilIdle();
    sent[0]?.refuse(429, 9_000);
    await untilIdle();
    sent[1]?.refuse(429, 4_000);

    await clock.advance(3_999);
    expect(sent).toHaveLength(2);
    await clock.advance(1);

    expect(sent[2]).toMatchObject({ key: 1 });
    sent[2]?.answer();
    await untilIdle();
    expect(ends).toEqual(['a answered']);
  });

  it('a key that cooled is leased again (C41)', async () => {
    const { call, clock, sent, untilIdle } = arrangeClient({ strategy: 'fill_first' });
    void call('a');
    await untilIdle();
    sent[0]?.refuse(429, 5_000);
    await untilIdle();
    expect(sent.at(-1)).toMatchObject({ agent: 'a', key: 1 });
    await clock.advance(5_000);

    void call('b');
    await untilIdle();

    expect(sent.at(-1)).toMatchObject({ agent: 'b', key: 0 });
  });

  it('names no key to a new agent that another one’s 429 closed (C41)', async () => {
    const { call, sent, untilIdle } = arrangeClient({ strategy: 'fill_first' });
    void call('a');
    await untilIdle();
    sent[0]?.refuse(429, 5_000);
    await untilIdle();
    sent[1]?.answer();

    void call('b');
    await untilIdle();

    expect(sent.at(-1)).toMatchObject({ agent: 'b', key: 1 });
  });

  it('calls refused together go over to another key one by one (F23)', async () => {
    const { call, ends, sent, untilIdle } = arrangeClient({ strategy: 'fill_first' });
    const agents = ['a', 'b', 'c', 'd'];
    // Answers that widen the gates of both keys: nothing but the refusal holds anybody back.
    for (const first of ['w', 'x', 'y']) {
      void call(first);
      await untilIdle();
      sent.at(-1)?.answer();
      await untilIdle();
    }
    for (const agent of agents) void call(agent);
    await untilIdle();
    expect(sent.slice(3).map(({ key }) => key)).toEqual([0, 0, 0, 0]);

    for (const each of sent.slice(3)) each.refuse(429, 60_000);
    await untilIdle();

    expect(sent).toHaveLength(8);
    sent[7]?.answer();
    await untilIdle();
    expect(sent).toHaveLength(10);
    for (const each of sent.slice(8)) each.answer();
    await untilIdle();
    sent.at(-1)?.answer();
    await untilIdle();
    expect(sent.slice(7).map(({ key }) => key)).toEqual([1, 1, 1, 1]);
    expect(ends.slice(3).sort()).toEqual(agents.map((agent) => `${agent} answered`));
  });

  it('agents that come over from a limited key are let out one by one beside those that were there (F23)', async () => {
    const { call, sent, untilIdle } = arrangeClient();
    for (const agent of ['a', 'b', 'a', 'b', 'a', 'b']) {
      void call(agent);
      await untilIdle();
      sent.at(-1)?.answer();
      await untilIdle();
    }
    for (const agent of ['a', 'b']) for (const _ of [1, 2, 3]) void call(agent);
    await untilIdle();
    const out = sent.slice(6);
    expect(out.map(({ agent, key }) => `${agent}${key}`).sort()).toEqual([
      'a0',
      'a0',
      'a0',
      'b1',
      'b1',
      'b1',
    ]);

    for (const each of out) if (each.agent === 'a') each.refuse(429, 60_000);
    await untilIdle();

    expect(sent.slice(12).map(({ agent, key }) => `${agent}${key}`)).toEqual(['a1']);
    sent[12]?.begin();
    await untilIdle();
    expect(sent.slice(12).map(({ agent, key }) => `${agent}${key}`)).toEqual(['a1', 'a1', 'a1']);
  });

  it('calls refused together on the only key wait once, and are let out one by one (F23)', async () => {
    const { call, clock, ends, rotations, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('first');
    await untilIdle();
    sent[0]?.answer();
    await untilIdle();
    for (const agent of ['a', 'b']) void call(agent);
    await untilIdle();
    expect(sent).toHaveLength(3);

    sent[1]?.refuse(429, 1_000);
    sent[2]?.refuse(429, 1_000);
    for (const agent of ['c', 'd', 'e']) void call(agent);
    await untilIdle();
    expect(sent).toHaveLength(3);
    await clock.advance(1_000);

    expect(sent).toHaveLength(4);
    sent[3]?.answer();
    await untilIdle();
    expect(sent).toHaveLength(6);
    for (let at = 4; at < 8; at += 1) {
      sent[at]?.answer();
      await untilIdle();
    }
    expect(ends).toHaveLength(6);
    expect(rotations).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('that never ends fails the call after ten tries', async () => {
    const { call, clock, ends, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a');
    await untilIdle();

    for (let at = 0; at <= 10; at += 1) {
      sent[at]?.refuse(429, 10);
      await clock.advance(10);
    }

    expect(sent).toHaveLength(11);
    expect(ends).toEqual(['a model_rate_limited']);
  });

  it('with a wait of an hour is the end of a pool of one', async () => {
    const { call, ends, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    void call('a');
    await untilIdle();

    sent[0]?.refuse(429, 3_600_000);
    await untilIdle();
    void call('b');
    await untilIdle();

    expect(ends).toEqual(['a model_rate_limited', 'b credentials_exhausted']);
  });
});

describe('a refused key (C41)', () => {
  it.each([
    [401, 'auth'],
    [402, 'billing'],
  ])(
    'with status %i is taken out, and its agent goes on under another (C41)',
    async (status, reason) => {
      const { call, ends, rotations, sent, untilIdle } = arrangeClient();
      void call('a');
      await untilIdle();

      sent[0]?.refuse(status);
      await untilIdle();
      sent[1]?.answer();
      void call('b');
      await untilIdle();

      expect(sent.map(({ key }) => key)).toEqual([0, 1, 1]);
      expect(ends).toEqual(['a answered']);
      expect(rotations).toMatchObject([{ from: 'key 1', to: 'key 2', reason }]);
    },
  );

  it('and no other left is a failure that says so (C41)', async () => {
    const { call, ends, sent, untilIdle } = arrangeClient();
    void call('a');
    await untilIdle();

    sent[0]?.refuse(401);
    await untilIdle();
    sent[1]?.refuse(402);
    await untilIdle();

    expect(ends).toEqual(['a credentials_exhausted']);
  });

  it('of a pool of one fails as the provider says, each time anew', async () => {
    const { call, ends, sent, untilIdle } = arrangeClient({ labels: ['only'] });
    for (const status of [401, 402]) {
      void call('a');
      await untilIdle();
      sent.at(-1)?.refuse(status);
      await untilIdle();
    }

    expect(ends).toEqual(['a model_auth', 'a model_auth']);
  });
});
