// Checks the thread's side of the gateway port over real ports in one thread: every request settles.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayClient } from '#src/models/gateway/gateway-client.js';
import { serveGateway } from '#src/models/gateway/gateway-port.js';
import type { Model } from '#src/models/model.js';
import { scripted } from '#src/testing.js';
import { until } from '../../support/until.ts';
import { arrange, asks, binding, GatedModel, untilIdle } from '../gateway-support.ts';
import { modelCall, rejection } from '../support.ts';

const ports: MessagePort[] = [];

afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function channel(): { near: MessagePort; far: MessagePort } {
  const { port1: near, port2: far } = new MessageChannel();
  ports.push(near, far);
  return { near, far };
}

function connected(model: Model) {
  const { gateway } = arrange();
  const { near, far } = channel();
  serveGateway(gateway, far, { onViolated: () => {} });
  gateway.bind(binding(model));
  return { gateway, client: new GatewayClient(near), far };
}

function turn() {
  const { type: _, callId: __, ...request } = asks();
  return request;
}

describe('the gateway client', () => {
  it('resolves with the answer, and is sent none of its deltas', async () => {
    const { client, far } = connected(scripted({ default: [{ chunks: ['he', 'llo'] }] }));
    const sent = vi.spyOn(far, 'postMessage');

    const { response, costUsd } = await client.respond(turn(), modelCall());

    expect(response.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(costUsd).toBeNull();
    expect(sent.mock.calls).toMatchObject([[{ type: 'model_response' }]]);
  });

  it('rejects with the failure of the gateway', async () => {
    const step = { throw: { status: 429, message: 'slow', retryAfterMs: 5 } };
    const { client } = connected(scripted({ default: [step] }));

    expect(await rejection(client.respond(turn(), modelCall()))).toMatchObject({
      code: 'model_rate_limited',
      retryable: true,
      detail: { retryAfterMs: 5 },
    });
  });

  it('passes an abort on, and still hears what was streamed before it', async () => {
    const { client } = connected(scripted({ default: [{ text: 'partial', hang: true }] }));
    const { client: waiter } = connected(scripted({ default: [{ text: 'sentinel' }] }));
    const call = modelCall();
    const broken: unknown[] = [];
    const onBroken = (...taken: unknown[]): void => void broken.push(taken);

    const answer = rejection(client.respond(turn(), { signal: call.signal, onBroken }));
    await waiter.respond(turn(), modelCall());
    call.abort();

    expect(await answer).toMatchObject({ code: 'aborted' });
    expect(broken).toEqual([[expect.objectContaining({ isEstimated: true }), 'partial']]);
  });

  it('has nothing to abort when its answer came ahead of the signal (S2)', async () => {
    const { near, far } = channel();
    const client = new GatewayClient(near);
    const call = modelCall();
    const asked: unknown[] = [];
    const second = new Promise<void>((resolve) => {
      far.on('message', (message: { readonly type: string; readonly callId: number }) => {
        asked.push([message.type, message.callId]);
        if (message.callId === 2) resolve();
      });
    });
    const answer = rejection(client.respond(turn(), call));
    const failure = { code: 'aborted', message: 'it was', retryable: false };
    const raised = new Promise<void>((resolve) => {
      // In the same turn of the loop as the answer, as an interrupt brings both.
      near.once('message', () => {
        call.abort();
        resolve();
      });
    });

    far.postMessage({ type: 'model_failed', callId: 1, failure });
    await raised;
    const sentinel = rejection(client.respond(turn(), modelCall()));
    await second;
    client.close();

    expect(await answer).toMatchObject({ code: 'aborted', message: 'it was' });
    expect(await sentinel).toMatchObject({ code: 'gateway_lost' });
    expect(asked).toEqual([
      ['model_request', 1],
      ['model_request', 2],
    ]);
  });

  it('asks nothing for a call that is already aborted', async () => {
    const model = scripted({ default: [] });
    const { client } = connected(model);
    const call = modelCall();
    call.abort();

    expect(await rejection(client.respond(turn(), call))).toMatchObject({ code: 'aborted' });
    expect(model.requests()).toEqual([]);
  });

  it.each<[string, (client: GatewayClient, far: MessagePort) => void]>([
    ['the other side closes', (_, far) => far.close()],
    ['it is closed', (client) => client.close()],
    ['it is given another port', (client) => client.usePort(channel().near)],
  ])('rejects gateway_lost, retryable, when %s', async (_, lose) => {
    const { client, far } = connected(new GatedModel());

    const answer = rejection(client.respond(turn(), modelCall()));
    lose(client, far);

    expect(await answer).toMatchObject({ code: 'gateway_lost', retryable: true });
  });

  it('rejects gateway_lost at once while it has no port', async () => {
    const { client } = connected(new GatedModel());
    client.close();

    expect(await rejection(client.respond(turn(), modelCall()))).toMatchObject({
      code: 'gateway_lost',
    });
  });

  it('is reported once, and read no more, when it sends what the gateway does not know', async () => {
    const { gateway } = arrange();
    const { near, far } = channel();
    const model = new GatedModel();
    gateway.bind(binding(model));
    const violations: string[] = [];
    const read: unknown[] = [];
    serveGateway(gateway, far, { onViolated: () => violations.push('violated') });
    far.on('message', (message) => read.push(message));

    near.postMessage({ type: 'model_response' });
    near.postMessage({ type: 'model_response' });
    near.postMessage(asks());
    await until(() => (read.length === 3 ? read : null), 'the third message');
    await untilIdle();

    expect(violations).toEqual(['violated']);
    expect(model.calls).toEqual([]);
  });
});
