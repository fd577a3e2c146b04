// Checks the stub model server as a plain HTTP client sees it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StubModelServer, type StubReply, startStubModelServer } from '#src/testing.js';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

function post(body: object, path = '/v1/messages'): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'x-api-key': 'secret', 'x-test': 'kept' },
    body: JSON.stringify(body),
  });
}

describe('the stub model server', () => {
  it('answers in one piece when no stream is asked for', async () => {
    server.reply({
      type: 'message',
      thinking: 'hm',
      text: ['Hel', 'lo'],
      toolCalls: [{ id: 't', name: 'n', input: { a: 1 } }],
    });

    const body = await (await post({ model: 'm' })).json();

    expect(body).toMatchObject({
      role: 'assistant',
      model: 'm',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'stub' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 't', name: 'n', input: { a: 1 } },
      ],
      usage: { input_tokens: 10, output_tokens: 5 },
    });
  });

  it('records requests without their keys', async () => {
    server.reply({ type: 'message', text: 'ok' });

    await post({ model: 'm' });

    const [seen] = server.requests();
    expect(seen).toMatchObject({ path: '/v1/messages', body: { model: 'm' } });
    expect(seen?.headers).toMatchObject({ 'x-test': 'kept' });
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  it('hands out each request once, whether it came before or after', async () => {
    server.reply({ type: 'message', text: 'a' }, { type: 'message', text: 'b' });
    await post({ model: 'first' });
    const first = server.nextRequest();
    const second = server.nextRequest();

    await post({ model: 'second' });

    expect((await first).body['model']).toBe('first');
    expect((await second).body['model']).toBe('second');
  });

  it.each<[string, readonly StubReply[], string, number]>([
    ['an unknown route', [], '/v1/other', 404],
    ['a request beyond the last reply', [], '/v1/messages', 500],
    ['an error', [{ type: 'error', status: 429, retryAfterSeconds: 3 }], '/v1/messages', 429],
  ])('answers %s with a status and an error body', async (_, replies, path, status) => {
    server.reply(...replies);

    const response = await post({ model: 'm' }, path);

    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '3' : null);
    expect(await response.json()).toMatchObject({ type: 'error' });
  });

  it('cuts off what is no JSON', async () => {
    const request = fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{' });

    await expect(request).rejects.toBeInstanceOf(TypeError);
  });

  it('rejects who waits for a request when it is closed, twice if asked', async () => {
    const waiting = expect(server.nextRequest()).rejects.toMatchObject({ code: 'closed' });

    await Promise.all([server.close(), server.close(), waiting]);
  });
});
