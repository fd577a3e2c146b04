// Checks the Anthropic adapter with the real SDK against the stub server: answers, errors, aborts, and that the key stays in.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anthropic, toStopReason } from '#src/models/anthropic.js';
import { type Model, stopReasons } from '#src/models/model.js';
import { type StubModelServer, type StubReply, startStubModelServer } from '#src/testing.js';
import { modelCall, rejection, request } from './support.ts';

const apiKey = 'sk-test-0123456789/abc';

let server: StubModelServer;
let model: Model;

beforeEach(async () => {
  server = await startStubModelServer();
  model = connect(0);
});

afterEach(() => server.close());

function connect(maxRetries: number): Model {
  return anthropic({ model: 'claude-test', apiKey, baseUrl: server.url, maxRetries });
}

describe('anthropic', () => {
  it('streams thinking and text, and answers with blocks, usage and stop reason', async () => {
    server.reply({
      type: 'message',
      thinking: 'hm',
      text: ['Hel', 'lo'],
      toolCalls: [{ id: 'toolu_1', name: 'look', input: { at: [1, 'two'] } }],
      usage: {
        input_tokens: 11,
        output_tokens: 22,
        cache_read_input_tokens: 33,
        cache_creation_input_tokens: 44,
      },
    });
    const call = modelCall();

    const response = await model.respond(request(), call);

    expect(response).toEqual({
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'stub' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: [1, 'two'] } },
      ],
      stopReason: 'tool_use',
      usage: { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheWriteTokens: 44 },
      isEstimated: false,
      model: 'claude-test',
    });
    expect(structuredClone(response)).toEqual(response);
    expect(call.deltas).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ]);
  });

  it('sends the history as it is, without empty texts, and asks for prompt caching', async () => {
    server.reply({ type: 'message', text: 'ok' });
    const inputSchema = { type: 'object', properties: {} };

    await model.respond(
      request({
        tools: [{ name: 'look', description: 'Looks.', inputSchema }],
        maxOutputTokens: 100,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: '' },
              { type: 'tool_use', id: 't1', name: 'look', input: {} },
            ],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true }],
          },
          { role: 'assistant', content: [] },
        ],
      }),
      modelCall(),
    );

    expect(server.requests()[0]?.body).toEqual({
      model: 'claude-test',
      max_tokens: 100,
      system: 'You are a test.',
      tools: [{ name: 'look', description: 'Looks.', input_schema: inputSchema }],
      cache_control: { type: 'ephemeral' },
      stream: true,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true }],
        },
      ],
    });
  });

  it('lets the SDK try again and answers what came in the end', async () => {
    server.reply(
      { type: 'error', status: 529, retryAfterSeconds: 0 },
      { type: 'message', text: 'ok' },
    );

    const response = await connect(2).respond(request(), modelCall());

    expect(response.content).toEqual([{ type: 'text', text: 'ok' }]);
    expect(server.requests()).toHaveLength(2);
  });

  it.each<[string, StubReply, object]>([
    [
      'a 429 with its wait',
      { type: 'error', status: 429, retryAfterSeconds: 7 },
      { code: 'model_rate_limited', retryable: true, detail: { status: 429, retryAfterMs: 7_000 } },
    ],
    ['a 529', { type: 'error', status: 529 }, { code: 'model_overloaded', retryable: true }],
    ['a 500', { type: 'error', status: 500 }, { code: 'model_failed', retryable: true }],
    ['a 504', { type: 'error', status: 504 }, { code: 'model_timeout', retryable: true }],
    ['a 401', { type: 'error', status: 401 }, { code: 'model_auth', retryable: false }],
    ['a 404', { type: 'error', status: 404 }, { code: 'model_unknown', retryable: false }],
    [
      'a 400 with its message',
      { type: 'error', status: 400, message: 'max_tokens is too large' },
      { code: 'model_bad_request', retryable: false, message: '400 max_tokens is too large' },
    ],
    [
      'an overload inside the stream',
      { type: 'stream_error', errorType: 'overloaded_error', message: 'Overloaded' },
      { code: 'model_overloaded', retryable: true, message: '529 Overloaded' },
    ],
    [
      'a connection cut inside the stream',
      { type: 'disconnect', text: 'par' },
      { code: 'model_disconnected', retryable: true },
    ],
    [
      'a stream that ends before its message',
      { type: 'unfinished', text: 'par' },
      { code: 'model_disconnected', retryable: true },
    ],
    ['malformed JSON', { type: 'malformed' }, { code: 'model_bad_response', retryable: false }],
  ])('fails on %s', async (_, reply, expected) => {
    server.reply(reply);

    expect(await rejection(model.respond(request(), modelCall()))).toMatchObject(expected);
  });

  it('fails model_disconnected, retryable, when nobody listens', async () => {
    await server.close();

    expect(await rejection(model.respond(request(), modelCall()))).toMatchObject({
      code: 'model_disconnected',
      retryable: true,
    });
  });

  it('fails model_timeout when no response begins in time', async () => {
    server.reply({ type: 'silence' });
    const options = { model: 'claude-test', apiKey, baseUrl: server.url };
    const hasty = anthropic({ ...options, maxRetries: 0, timeoutMs: 20 });

    expect(await rejection(hasty.respond(request(), modelCall()))).toMatchObject({
      code: 'model_timeout',
      retryable: true,
    });
  });

  it.each([[undefined], ['par']])('aborts a server that falls silent after %j', async (text) => {
    server.reply(text === undefined ? { type: 'silence' } : { type: 'silence', text });
    const call = modelCall();

    const answer = rejection(model.respond(request(), call));
    await server.nextRequest();
    call.abort();

    expect(await answer).toMatchObject({ code: 'aborted', retryable: false });
  });

  it('takes the key out of whatever comes back with it', async () => {
    const message = `bad key ${apiKey} or ${encodeURIComponent(apiKey)}`;
    server.reply({ type: 'error', status: 401, message });

    const error = await rejection(model.respond(request(), modelCall()));

    expect(error).toMatchObject({ message: '401 bad key [key] or [key]' });
    expect(error).not.toHaveProperty('cause');
    expect(JSON.stringify(server.requests())).not.toContain(apiKey);
  });

  it('takes a key that is no valid header out of the error', async () => {
    const bad = anthropic({
      model: 'm',
      apiKey: 'sk-\u2028-key',
      baseUrl: server.url,
      maxRetries: 0,
    });

    const error = (await rejection(bad.respond(request(), modelCall()))) as Error;

    expect(`${error.message} ${error.stack}`).not.toContain('sk-\u2028-key');
  });

  it.each(['', '  '])('refuses the key %j before anything starts', (key) => {
    expect(() => anthropic({ model: 'm', apiKey: key })).toThrow(
      expect.objectContaining({
        code: 'model_key_missing',
        message:
          'ANTHROPIC_API_KEY is not set; set it, or use --model offline, which works without a key',
      }),
    );
  });
});

describe('stop reasons', () => {
  const calls = [{ type: 'tool_use' as const, id: 't', name: 'n', input: {} }];

  it.each(stopReasons.map((reason) => [reason]))('%s arrives as itself', async (stopReason) => {
    server.reply({ type: 'message', text: 'a', stopReason });

    expect(await model.respond(request(), modelCall())).toMatchObject({ stopReason });
  });

  it.each([
    ['newer', [], 'end_turn'],
    ['newer', calls, 'tool_use'],
    [null, [], 'end_turn'],
    [null, calls, 'tool_use'],
  ] as const)('%s with %j arrives as %s', (reason, content, expected) => {
    expect(toStopReason(reason, content)).toBe(expected);
  });
});
