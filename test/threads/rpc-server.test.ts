// Checks the services of a thread: one kind of call passes, everything else closes the link and ends the activation.
import { type Endpoint, wrap } from 'comlink';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Failure, failure, TroupeError } from '#src/base/failures.js';
import type { ServiceAnswer } from '#src/protocol/host-services.js';
import { RpcServer, type Services } from '#src/threads/rpc-server.js';
import { RpcClient } from '#workers/rpc-client.js';
import { exitOf, fixture, rejection, testSystem, within } from '../support/systems.ts';

const pair = z.strictObject({ a: z.number(), b: z.number() });

const inputs = { add: pair, fail: z.unknown(), burst: z.unknown(), never: z.unknown() };

/** A host link and the messages that leave it. */
function arrange(never: Services<typeof inputs>['never'] = async () => null) {
  const ran: unknown[] = [];
  const violations: Failure[] = [];
  const posted: unknown[] = [];
  let deliver: (payload: unknown) => void = () => {};
  const services: Services<typeof inputs> & { hidden(): void } = {
    add: async ({ a, b }) => {
      ran.push([a, b]);
      return a + b;
    },
    fail: async () => {
      throw new TroupeError('budget_cost', 'too dear', { detail: { limit: 1 } });
    },
    burst: async () => {
      throw new RangeError('off the scale');
    },
    never,
    hidden: () => ran.push('hidden'),
  };
  const link = new RpcServer(inputs, services, {
    post: (payload) => {
      posted.push(payload);
      deliver(payload);
    },
    violated: (cause) => violations.push(cause),
  });
  const client = new RpcClient((payload) => link.receive(structuredClone(payload)));
  deliver = (payload) => client.receive(structuredClone(payload));
  return { link, client, ran, violations, posted };
}

/** A raw Comlink message; what it leaves out is what a call would have. */
function raw(changes: object): object {
  return {
    id: 'x',
    type: 'APPLY',
    path: ['add'],
    argumentList: [{ type: 'RAW', value: { a: 1, b: 2 } }],
    ...changes,
  };
}

const hostile: readonly [string, unknown][] = [
  [
    'SET __proto__',
    { id: 'x', type: 'SET', path: ['__proto__', 'hit'], value: { type: 'RAW', value: 1 } },
  ],
  ['SET of a service', { id: 'x', type: 'SET', path: ['add'], value: { type: 'RAW', value: 1 } }],
  ['GET', { id: 'x', type: 'GET', path: ['add'] }],
  ['GET of everything', { id: 'x', type: 'GET', path: [] }],
  ['CONSTRUCT', raw({ type: 'CONSTRUCT' })],
  ['CONSTRUCT Function', raw({ type: 'CONSTRUCT', path: ['constructor', 'constructor'] })],
  ['ENDPOINT', { id: 'x', type: 'ENDPOINT' }],
  ['RELEASE', { id: 'x', type: 'RELEASE' }],
  ['a longer path', raw({ path: ['add', 'constructor'] })],
  ['an empty path', raw({ path: [] })],
  ['an unknown method', raw({ path: ['subtract'] })],
  ['a method that is no service', raw({ path: ['hidden'] })],
  ['an inherited name', raw({ path: ['toString'] })],
  ['constructor', raw({ path: ['constructor'] })],
  ['__proto__', raw({ path: ['__proto__'] })],
  [
    'two arguments',
    raw({
      argumentList: [
        { type: 'RAW', value: 1 },
        { type: 'RAW', value: 2 },
      ],
    }),
  ],
  ['no argument', raw({ argumentList: [] })],
  ['a handler argument', raw({ argumentList: [{ type: 'HANDLER', name: 'throw', value: {} }] })],
  ['a proxy argument', raw({ argumentList: [{ type: 'HANDLER', name: 'proxy', value: null }] })],
  ['an id that is no text', raw({ id: { toString: 'x' } })],
  ['another field', raw({ more: true })],
  ['nothing', null],
  ['a text', 'APPLY'],
];

describe('a service', () => {
  it('answers a call with its value', async () => {
    const { client, ran } = arrange();

    expect(await client.call('add', { a: 2, b: 3 })).toBe(5);
    expect(ran).toEqual([[2, 3]]);
  });

  it('throws its failure at the caller as a plain one, code and detail kept', async () => {
    const { client, posted } = arrange();

    const thrown = await rejection(client.call('fail', null));

    expect(thrown).toMatchObject({
      code: 'budget_cost',
      message: 'too dear',
      detail: { limit: 1 },
    });
    expect(await rejection(client.call('burst', null))).toMatchObject({
      code: 'internal',
      message: 'RangeError: off the scale',
    });
    // What crossed was data, not an error that Comlink strips of its code.
    for (const payload of posted) expect(JSON.stringify(payload)).toContain('"ok":false');
  });

  it('refuses malformed arguments without running, and the link stays', async () => {
    const { client, ran, violations } = arrange();

    expect((await rejection(client.call('add', { a: 1, b: '2' }))).code).toBe('protocol_violation');
    expect((await rejection(client.call('add', { a: 1, b: 2, c: 3 }))).code).toBe(
      'protocol_violation',
    );
    expect(await client.call('add', { a: 1, b: 2 })).toBe(3);
    expect(ran).toEqual([[1, 2]]);
    expect(violations).toEqual([]);
  });

  it('is told when the activation that called it is over, and its caller is not left waiting', async () => {
    let received: AbortSignal | null = null;
    const { link, client } = arrange((_input, signal) => {
      received = signal;
      return new Promise(() => {});
    });
    const call = rejection(client.call('never', null));
    while (received === null) await new Promise((resolve) => setImmediate(resolve));

    link.close(failure('activation_ended', 'over'));
    client.close();

    expect(received).toMatchObject({ aborted: true, reason: { code: 'activation_ended' } });
    expect((await call).code).toBe('activation_ended');
    expect((await rejection(client.call('add', { a: 1, b: 2 }))).code).toBe('activation_ended');
  });
});

describe('a link', () => {
  it.each(hostile)('is closed by %s, which runs nothing', async (_what, payload) => {
    const { link, ran, violations, posted } = arrange();

    link.receive(payload);
    link.receive(raw({}));
    await new Promise((resolve) => setImmediate(resolve));

    expect(violations).toHaveLength(1);
    expect(['protocol_violation', 'unknown_service']).toContain(violations[0]?.code);
    expect(ran).toEqual([]);
    expect(posted).toEqual([]);
    expect(Reflect.get({}, 'hit')).toBeUndefined();
  });

  it('exposes no more than calls to a proxy of Comlink itself', async () => {
    const { link, violations, ran } = arrange();
    const listeners = new Set<(event: MessageEvent) => void>();
    const endpoint: Endpoint = {
      postMessage: (payload: unknown) => link.receive(payload),
      addEventListener: (_type, listener) => {
        if (typeof listener === 'function') listeners.add(listener);
      },
      removeEventListener: () => {},
    };
    type Methods = { add(input: object): Promise<ServiceAnswer> };
    const proxy = wrap<Methods>(endpoint);

    // Comlink waits for an answer that never comes: the link is closed.
    void Reflect.set(proxy, 'add', 1);

    expect(violations).toMatchObject([{ code: 'protocol_violation' }]);
    expect(ran).toEqual([]);
  });
});

describe('a thread that reaches past its services', () => {
  it.each(hostile.slice(0, 12))('crashes by %s, and by that alone (V1)', async (_what, payload) => {
    const { system, reasons } = testSystem();
    const sibling = await system.spawn(fixture('echo'));
    const intruder = await system.spawn(fixture('intruder'));
    const exit = exitOf(intruder);

    intruder.tell({ payload, activations: 2_000 });

    expect((await exit).reason).toBe('crashed');
    expect(['protocol_violation', 'unknown_service']).toContain((await exit).failure?.code);
    expect(reasons()).toEqual({ in_doubt: 1 });
    expect(await sibling.ask(1, { timeoutMs: 20_000 })).toMatchObject({ echo: 1 });
    expect(Reflect.get({}, 'hit')).toBeUndefined();
  });

  it.each<[string, object]>([
    [
      'settles more than it was handed',
      { type: 'batch', activation: 0, items: [Number.MAX_SAFE_INTEGER] },
    ],
    ['takes a receive back', { type: 'batch', activation: 0, items: [-1] }],
    ['sends what is no message', { type: 'batch', items: 'none' }],
    ['sends an item that is none', { type: 'batch', activation: 0, items: [{ t: 'format_disk' }] }],
    ['speaks of no type at all', { activation: 1 }],
  ])('crashes when it %s (V1)', async (_what, message) => {
    const { system } = testSystem();
    const intruder = await system.spawn(fixture('intruder'));
    const exit = exitOf(intruder);

    intruder.tell({ message, activations: 2_000 });

    const { reason, failure: cause } = await within(exit, 'the crash');
    expect({ reason, code: cause?.code }).toEqual({
      reason: 'crashed',
      code: 'protocol_violation',
    });
  });

  it('answers no ask but those it was asked (M7)', async () => {
    const { system } = testSystem();
    const obedient = await system.spawn(fixture('obedient'));
    const intruder = await system.spawn(fixture('intruder'));
    const exit = exitOf(intruder);
    const answer = obedient.ask({ do: 'later' }, { timeoutMs: 60_000 });

    const items = Array.from({ length: 9 }, (_, askId) => ({ t: 'reply', askId, value: 'forged' }));
    const message = { type: 'batch', activation: 0, items };
    intruder.tell({ message, activations: 2_000, last: 'what ends it' });
    expect((await exit).failure?.code).toBe('protocol_violation');
    obedient.tell({ do: 'answer', value: 'real' });

    expect(await within(answer, 'the answer')).toBe('real');
  });
});
