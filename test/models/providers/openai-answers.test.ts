// Checks how streamed answers of OpenAI's APIs are put together when servers speak them in their own way.
import type { OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { ChatAnswer, toChatParams } from '#src/models/providers/openai-chat.js';
import { ResponsesAnswer, toResponsesParams } from '#src/models/providers/openai-responses.js';
import { boundCall, rejection, request } from '../support.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

function chat(choices: readonly object[]) {
  const answer = new ChatAnswer('m', request());
  const call = boundCall();
  // Servers leave out what the types require: that is what is checked here.
  for (const choice of choices) answer.add({ choices: [choice] } as unknown as Chunk, call);
  return { answer, deltas: call.deltas };
}

function responses(events: readonly object[]) {
  const answer = new ResponsesAnswer();
  const call = boundCall();
  for (const event of events) answer.add(event as StreamEvent, call);
  return { answer, deltas: call.deltas };
}

describe('a chat answer', () => {
  it('leaves calls without ids to the gateway, and takes parts that have no index', () => {
    const { answer } = chat([
      { delta: { tool_calls: [{ id: '', function: { name: 'look', arguments: '{"a"' } }] } },
      { delta: { tool_calls: [{ function: { arguments: ':1}' } }] } },
      { delta: { tool_calls: [{ id: 'x', function: { name: 'look', arguments: '' } }] } },
      { delta: {}, finish_reason: 'stop' },
    ]);

    expect(answer.toResponse()).toMatchObject({
      stopReason: 'tool_use',
      content: [
        { type: 'tool_use', id: '', name: 'look', input: { a: 1 } },
        { type: 'tool_use', id: 'x', name: 'look', input: {} },
      ],
    });
  });

  it('takes the numbers of calls for names: one may be as large as it likes', () => {
    const part = (index: number, text: string) => ({ index, function: { arguments: text } });
    const { answer } = chat([
      { delta: { tool_calls: [{ index: 4_000_000_000, id: 'x', function: { name: 'look' } }] } },
      { delta: { tool_calls: [{ index: 7, id: 'y', function: { name: 'see' } }] } },
      { delta: { tool_calls: [part(4_000_000_000, '{"a":1}'), part(7, '{"b":2}')] } },
      { delta: {}, finish_reason: 'tool_calls' },
    ]);

    expect(answer.toResponse().content).toEqual([
      { type: 'tool_use', id: 'x', name: 'look', input: { a: 1 } },
      { type: 'tool_use', id: 'y', name: 'see', input: { b: 2 } },
    ]);
  });

  it('estimates what no server counted, and says so', () => {
    const { answer } = chat([{ delta: { content: 'x'.repeat(40) }, finish_reason: 'stop' }]);

    expect(answer.toResponse()).toMatchObject({
      isEstimated: true,
      usage: { inputTokens: 6, outputTokens: 10 },
    });
  });

  it('streams thoughts under either of their names (D15)', () => {
    const { deltas } = chat([
      { delta: { reasoning: 'a' } },
      { delta: { reasoning_content: 'b', content: null } },
    ]);

    expect(deltas).toEqual([
      { type: 'thinking', text: 'a' },
      { type: 'thinking', text: 'b' },
    ]);
  });

  it('is refused when the model says so in words', () => {
    const { answer } = chat([{ delta: { refusal: 'I will not.' }, finish_reason: 'stop' }]);

    expect(answer.toResponse()).toMatchObject({
      stopReason: 'refusal',
      content: [{ type: 'text', text: 'I will not.' }],
    });
  });

  it('asks OpenAI itself for its output limit under its newer name', () => {
    const asked = toChatParams('m', request({ maxOutputTokens: 9 }), true);

    expect(asked).toMatchObject({ max_completion_tokens: 9 });
    expect(asked).not.toHaveProperty('max_tokens');
  });

  it('sends images of results as the user\u2019s, after the results', () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png', data: 'AA==' },
    };
    const content = [{ type: 'text' as const, text: 'seen' }, image];
    const result = { type: 'tool_result' as const, tool_use_id: 'c', content };

    const { messages } = toChatParams(
      'm',
      request({ system: '', messages: [{ role: 'user', content: [result] }] }),
      false,
    );

    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'seen\n[image, see below]' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
      },
    ]);
  });
});

describe('an answer of the Responses API', () => {
  const end = { id: 'r', model: 'm', output: [], incomplete_details: null };

  it('takes its items from their own events when the last one has none', () => {
    const item = {
      type: 'message',
      content: [{ type: 'output_text', text: 'hi' }],
    };
    const { answer } = responses([
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: end },
    ]);

    expect(answer.toResponse()).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
  });

  it('takes them from the last event when they had none of their own', () => {
    const output = [{ type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }];
    const { answer } = responses([{ type: 'response.completed', response: { ...end, output } }]);

    expect(answer.toResponse()).toMatchObject({ stopReason: 'tool_use' });
  });

  it('is refused when the model says so in words', () => {
    const item = { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] };
    const { answer, deltas } = responses([
      { type: 'response.refusal.delta', delta: 'I will not.' },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: end },
    ]);

    expect(answer.toResponse()).toMatchObject({ stopReason: 'refusal' });
    expect(deltas).toEqual([{ type: 'text', text: 'I will not.' }]);
  });

  it('refuses an item of a tool that it never asked for', async () => {
    const { answer } = responses([
      { type: 'response.output_item.done', item: { type: 'web_search_call' } },
      { type: 'response.completed', response: end },
    ]);

    const error = await rejection(Promise.resolve().then(() => answer.toResponse()));

    expect(error).toMatchObject({ code: 'model_bad_response' });
  });

  it.each([
    ['rate_limit_exceeded', 'model_rate_limited'],
    ['server_is_overloaded', 'model_overloaded'],
    ['context_length_exceeded', 'context_window_exceeded'],
    ['server_error', 'model_failed'],
  ])('fails on a response that failed with %s', (code, expected) => {
    const response = { ...end, error: { code, message: 'no' } };

    expect(() => responses([{ type: 'response.failed', response }])).toThrow(
      expect.objectContaining({ code: expected }),
    );
  });

  it('asks for thoughts only when an effort is set: models that do not think refuse', () => {
    const plain = toResponsesParams('m', request());
    const thinking = toResponsesParams('m', request({ settings: { effort: 'low' } }));

    expect(plain).not.toHaveProperty('include');
    expect(plain).not.toHaveProperty('reasoning');
    expect(thinking).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    });
  });
});
