// Checks the Anthropic adapter with the real SDK against the stub server: the adapter contract, and what is its own.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '#src/models/model.js';
import { type AnthropicOptions, anthropic } from '#src/models/providers/anthropic.js';
import { toStopReason } from '#src/models/providers/anthropic-messages.js';
import { stopReasons } from '#src/protocol/history.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { adapterContract } from '../adapter-contract.ts';
import { type AdapterUnderTest, contractKey, type WireHistory } from '../adapter-traits.ts';
import { modelCall, rejection, request } from '../support.ts';

function connectTo(server: StubModelServer, options: Partial<AnthropicOptions> = {}): Model {
  const { url } = server;
  const fixed = { model: 'claude-test', apiKey: contractKey, baseUrl: url, maxRetries: 0 };
  return anthropic({ ...fixed, ...options });
}

async function start(options: Partial<AnthropicOptions> = {}): Promise<AdapterUnderTest> {
  const server = await startStubModelServer();
  return Object.assign(server, {
    connect: (more: object = {}) => connectTo(server, { ...options, ...more }),
  });
}

type Fields = Readonly<Record<string, unknown>>;

function settingsIn(body: Fields) {
  const { temperature, top_p: topP } = body;
  const { effort, format } = (body['output_config'] ?? {}) as Fields;
  const schema = (format as Fields | undefined)?.['schema'];
  const outputFormat = schema === undefined ? undefined : { name: 'answer', schema };
  const all = { temperature, topP, effort, outputFormat };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function historyIn(body: Fields): WireHistory {
  const messages = body['messages'] as { role: 'user' | 'assistant'; content: Fields[] }[];
  return messages.flatMap(({ role, content }) =>
    content.map((block): WireHistory[number] => {
      const { type, id, name, input, tool_use_id, text, thinking } = block;
      if (type === 'text') return { role, text: String(text) };
      if (type === 'tool_use') return { call: String(id), name: String(name), input };
      if (type === 'thinking') return { thinking: String(thinking) };
      const isError = block['is_error'] === true;
      return { result: String(tool_use_id), text: String(block['content']), isError };
    }),
  );
}

const shared = {
  countsCacheWrites: true,
  isHttp: true,
  returnsThinking: true,
  unreadable: ['{"path": oops', 'no json at all'],
  outputLimitIn: (body: Fields) => body['max_tokens'],
  settingsIn,
  toolChoiceIn: ({ tool_choice: choice }: Fields) => {
    const { type, name } = choice as Fields;
    if (type === 'tool') return { tool: name };
    return type === 'any' ? 'required' : type;
  },
  historyIn,
  stopReasons: [
    ...stopReasons.map((reason) => [reason, reason] as const),
    ['newer_than_this_list', 'end_turn'] as const,
  ],
};

adapterContract('anthropic', { ...shared, start, refused: ['temperature', 'topP'] });

adapterContract('anthropic of 2023-06-01', {
  ...shared,
  start: () => start({ apiVersion: '2023-06-01' }),
  refused: [],
});

describe('anthropic', () => {
  let server: StubModelServer;
  let model: Model;

  beforeEach(async () => {
    server = await startStubModelServer();
    model = connectTo(server);
  });

  afterEach(() => server.close());

  it('marks what ends a stable prefix for the cache, and nothing that may change', async () => {
    server.reply({ type: 'message', text: 'ok' });
    const inputSchema = { type: 'object', properties: {} };
    const cache_control = { type: 'ephemeral' };

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
      system: [{ type: 'text', text: 'You are a test.', cache_control }],
      tools: [{ name: 'look', description: 'Looks.', input_schema: inputSchema }],
      stream: true,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look.', cache_control }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: 'no',
              is_error: true,
              cache_control,
            },
          ],
        },
      ],
    });
  });

  it('marks what comes before the words of this request alone, so that the next one finds it (A38)', async () => {
    server.reply({ type: 'message', text: 'ok' });
    server.reply({ type: 'message', text: 'ok' });
    const textBlock = (text: string) => ({ type: 'text' as const, text });
    const once = (text: string) => ({ ...textBlock(text), isTransient: true as const });
    const cache_control = { type: 'ephemeral' };
    const first = { role: 'user' as const, content: [textBlock('one')] };
    const answer = { role: 'assistant' as const, content: [textBlock('two')] };
    const second = { role: 'user' as const, content: [textBlock('three')] };

    for (const messages of [
      [{ ...first, content: [...first.content, once('board 1')] }],
      [first, answer, { ...second, content: [...second.content, once('board 2')] }],
    ]) {
      await model.respond(request({ messages }), modelCall());
    }

    const sent = server.requests().map(({ body }) => body?.['messages']);
    expect(sent).toEqual([
      [{ role: 'user', content: [{ ...textBlock('one'), cache_control }, textBlock('board 1')] }],
      [
        { role: 'user', content: [{ ...textBlock('one'), cache_control }] },
        answer,
        { role: 'user', content: [{ ...textBlock('three'), cache_control }, textBlock('board 2')] },
      ],
    ]);
  });

  it('marks the last tool when there is no system prompt, and never more than four places', async () => {
    server.reply({ type: 'message', text: 'ok' });
    const tools = ['a', 'b'].map((name) => ({ name, description: name, inputSchema: {} }));
    const messages = Array.from({ length: 9 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: [{ type: 'text' as const, text: `m${index}` }],
    }));

    await model.respond(request({ system: '', tools, messages }), modelCall());

    const body = server.requests()[0]?.body;
    expect(body?.['tools']).toMatchObject([{ name: 'a' }, { cache_control: {} }]);
    expect(JSON.stringify(body).split('cache_control')).toHaveLength(4);
  });

  it('keeps what comes before the newest message byte for byte, but for the marks', async () => {
    server.reply({ type: 'message', text: 'ok' }, { type: 'message', text: 'ok' });
    const { messages } = request();
    const more = [
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'ok' }] },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'And now?' }] },
    ];

    await model.respond(request(), modelCall());
    await model.respond(request({ messages: [...messages, ...more] }), modelCall());

    const [first, second] = server.requests().map(({ body }) => JSON.stringify(body['messages']));
    // Up to the bracket that ends the list.
    expect(second?.startsWith(first?.slice(0, -1) ?? 'none')).toBe(true);
  });

  it('wraps arguments that are no object: the API takes nothing else back', async () => {
    server.reply({ type: 'message', text: 'ok' });
    const input = 'look here';
    const content = [{ type: 'tool_use' as const, id: 'c', name: 'look', input }];

    await model.respond(request({ messages: [{ role: 'assistant', content }] }), modelCall());

    expect(server.requests()[0]?.body['messages']).toMatchObject([
      { content: [{ input: { input } }] },
    ]);
  });

  it('returns thinking with its signature, unmodified', async () => {
    server.reply({ type: 'message', text: 'ok' });
    const content = [
      { type: 'thinking' as const, thinking: 'hm', signature: 'sig==' },
      { type: 'redacted_thinking' as const, data: 'opaque==' },
      { type: 'text' as const, text: 'so' },
    ];

    await model.respond(request({ messages: [{ role: 'assistant', content }] }), modelCall());

    expect(server.requests()[0]?.body['messages']).toEqual([{ role: 'assistant', content }]);
  });

  it('says what kind of refusal it was', async () => {
    server.reply({ type: 'message', text: '', stopReason: 'refusal', refusalCategory: 'cyber' });

    const response = await model.respond(request(), modelCall());

    expect(response).toMatchObject({ stopReason: 'refusal', refusalCategory: 'cyber' });
  });

  it('sends the key as the version of the API wants it', async () => {
    server.reply({ type: 'message', text: 'ok' }, { type: 'message', text: 'ok' });

    await model.respond(request(), modelCall());
    await connectTo(server, { apiVersion: '2023-06-01' }).respond(request(), modelCall());

    const versions = server.requests().map(({ headers }) => headers['anthropic-version']);
    expect(versions).toEqual(['2026-10-21', '2023-06-01']);
    expect(server.requests().map(({ keys }) => keys)).toEqual([['authorization'], ['x-api-key']]);
  });

  it('takes a key that is no valid header out of the error', async () => {
    const bad = connectTo(server, { apiKey: 'sk-\u2028-key' });

    const error = (await rejection(bad.respond(request(), modelCall()))) as Error;

    expect(`${error.message} ${error.stack}`).not.toContain('sk-\u2028-key');
  });

  it.each(['', '  '])('refuses the key %j before anything starts', (key) => {
    expect(() => anthropic({ model: 'm', apiKey: key })).toThrow(
      expect.objectContaining({
        code: 'model_key_missing',
        message:
          "ANTHROPIC_API_KEY is not set; set it, or use the model 'offline' (--model offline), which works without a key",
      }),
    );
  });
});

describe('stop reasons', () => {
  const calls = [{ type: 'tool_use' as const, id: 't', name: 'n', input: {} }];

  it.each([
    ['newer', [], 'end_turn'],
    ['newer', calls, 'tool_use'],
    [null, [], 'end_turn'],
    [null, calls, 'tool_use'],
  ] as const)('%s with %j arrives as %s', (reason, content, expected) => {
    expect(toStopReason(reason, content)).toBe(expected);
  });
});
