// Checks waits in the gateway's thread: on the clock of its host, ended by its loss, with keys that its successor has too.
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayClient } from '#src/models/gateway/gateway-client.js';
import { endpointOf } from '#src/models/keys/credentials.js';
import { defaultRetryPolicy } from '#src/models/retry.js';
import type { SpecBinding } from '#src/protocol/model-binding.js';
import type { ModelSpec } from '#src/protocol/model-spec.js';
import { ManualClock, startStubModelServer } from '#src/testing.js';
import { GatewayThread } from '#src/threads/gateway-thread.js';

const never = new AbortController().signal;
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function bind(spec: ModelSpec, token = 't-1'): SpecBinding {
  const agent = { id: token, name: 'worker', path: '/worker' };
  return { token, agent, head: { system: '', tools: [] }, accounts: [], spec };
}

function asks(text: string, token = 't-1') {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  return { token, turn: 1, from: 0, messages };
}

const call = { signal: never, onDelta: () => {} };

/** Lets threads and sockets work until it is so; the test's own deadline ends a wait in vain. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('a wait in the gateway thread', () => {
  it('that is lost fails calls that wait in a line too, stops their timers, and the next one has the keys', async () => {
    const server = await startStubModelServer([
      { type: 'error', status: 429, retryAfterSeconds: 60 },
      { type: 'message', text: 'with the pool’s key' },
    ]);
    const clock = new ManualClock();
    const workers: Worker[] = [];
    const endpoint = endpointOf('anthropic', server.url);
    const keys = [{ key: 'sk-pool', label: 'key 1' }];
    const thread = new GatewayThread({
      clock,
      greeting: [
        {
          type: 'providers',
          pools: [{ endpoint, strategy: 'fill_first', keys }],
          initialCalls: 1,
          retry: defaultRetryPolicy,
        },
      ],
      createWorker: (url, options) => {
        const worker = new Worker(url, options);
        workers.push(worker);
        return worker;
      },
    });
    const client = new GatewayClient(thread.connect(() => {}));
    closers.push(
      () => server.close(),
      () => thread.close(),
      () => client.close(),
    );
    for (const token of ['t-1', 't-2']) {
      thread.bind(
        bind({ type: 'anthropic', model: 'm', baseUrl: server.url, pool: endpoint }, token),
      );
    }
    const waits = ['t-1', 't-2'].map((token) => client.respond(asks('Hi', token), call));
    const timers = until(() => clock.pending > 0);
    await server.nextRequest();
    await timers;

    await Promise.all([
      ...waits.map((each) => expect(each).rejects.toMatchObject({ code: 'gateway_lost' })),
      workers[0]?.terminate(),
    ]);
    await until(() => clock.pending === 0);
    client.usePort(thread.connect(() => {}));

    const { response } = await client.respond(asks('Hi'), call);
    expect(response.content).toEqual([{ type: 'text', text: 'with the pool’s key' }]);
    expect(server.requests()).toHaveLength(2);
  });

  it('keeps waits on the clock of its host, and confirms that what fired has run', async () => {
    const server = await startStubModelServer([
      { type: 'error', status: 429, retryAfterSeconds: 60 },
      { type: 'message', text: 'after a minute' },
    ]);
    const clock = new ManualClock();
    const thread = new GatewayThread({ clock });
    clock.settleWith(() => thread.acknowledged());
    const client = new GatewayClient(thread.connect(() => {}));
    closers.push(
      () => server.close(),
      () => thread.close(),
      () => client.close(),
    );
    thread.bind(bind({ type: 'anthropic', model: 'm', apiKey: 'k', baseUrl: server.url }));
    const answer = client.respond(asks('Hi'), call);
    await server.nextRequest();
    await until(() => clock.pending > 0);
    expect(server.requests()).toHaveLength(1);

    // A wait is lengthened by chance by up to a quarter.
    await clock.advance(75_000);

    expect((await answer).response.content).toEqual([{ type: 'text', text: 'after a minute' }]);
  });
});
