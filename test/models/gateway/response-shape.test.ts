// Checks that a model that answers with no response fails its call in words that say what is wrong with it.
import { expect, it } from 'vitest';
import { asResponse } from '#src/models/gateway/response-shape.js';
import type { Model, ModelRequest } from '#src/models/model.js';
import { arrange, asks, binding, untilIdle } from '../gateway-support.ts';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const good = {
  content: [
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'text', text: 'x' },
    { type: 'tool_use', id: 'c', name: 'n', input: undefined },
  ],
  stopReason: 'tool_use',
  usage,
  isEstimated: false,
  model: 'm',
};

const model: Model = { id: 'mine:m-1', respond: async () => good as never };
const request: ModelRequest = {
  system: 'x'.repeat(8),
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(12) }] }],
  agent: { id: 'a', name: 'a', path: '/a' },
  turn: 1,
};
const brief = { content: [{ type: 'text', text: 'x'.repeat(40) }] };

it('takes a response as it is', () => {
  expect(asResponse(good, model, request)).toBe(good);
});

it.each([
  [
    'all but the content',
    brief,
    {
      stopReason: 'end_turn',
      usage: { ...usage, inputTokens: 5, outputTokens: 10 },
      isEstimated: true,
      model: 'm-1',
    },
  ],
  [
    'the counts of a cache',
    { ...brief, usage: { inputTokens: 7, outputTokens: 8 } },
    { usage: { ...usage, inputTokens: 7, outputTokens: 8 }, isEstimated: false },
  ],
  ['why it ended, with calls', { content: good.content }, { stopReason: 'tool_use' }],
  ['nothing that it says itself', { ...brief, model: 'other' }, { model: 'other' }],
])('gives %s a default where a model of the program leaves it out', (_what, reply, expected) => {
  const { content } = reply;
  const response = asResponse(reply, model, request);

  expect(response).toMatchObject({ content, ...expected });
});

it.each([
  [undefined, 'it must be an object, it is undefined'],
  [['x'], 'it must be an object'],
  [{ ...good, content: 'hi' }, 'content must be a list of blocks, it is "hi"'],
  [{ ...good, content: [null] }, 'content.0 must be a block, it is null'],
  [
    { ...good, content: [{ type: 'toString' }] },
    'content.0.type must be one of text, image, thinking,',
  ],
  [{ ...good, content: [{ type: 'text' }] }, 'content.0.text must be a text, it is undefined'],
  [{ ...good, stopReason: 'stop' }, 'stopReason must be one of end_turn, tool_use,'],
  [{ ...good, usage: null }, 'usage must be an object, it is null'],
  [{ ...good, usage: { ...usage, inputTokens: Number.NaN } }, 'usage.inputTokens must be a number'],
  [
    { ...good, usage: { ...usage, outputTokens: -1 } },
    'usage.outputTokens must be a number from 0',
  ],
  [{ ...good, usage: { inputTokens: 1 } }, 'usage.outputTokens must be a number'],
  [
    { ...good, usage: { ...usage, cacheReadTokens: null } },
    'usage.cacheReadTokens must be a number',
  ],
  [{ ...good, isEstimated: 'no' }, 'isEstimated must be true or false, it is "no"'],
  [{ ...good, model: 7 }, 'model must be a name, it is 7'],
])('refuses %j', async (answer, expected) => {
  const { gateway, replies, send } = arrange();
  gateway.bind(binding({ id: 'odd', respond: async () => answer as never }));

  send(asks());
  await untilIdle();

  const failure = { code: 'model_bad_response', message: expect.stringContaining(expected) };
  expect(replies).toEqual([
    { type: 'model_failed', callId: 1, failure: expect.objectContaining(failure) },
  ]);
});
