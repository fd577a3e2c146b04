// Checks that a model that answers with no response fails its call in words that say what is wrong with it.
import { expect, it } from 'vitest';
import { asResponse } from '#src/models/gateway/response-shape.js';
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

it('takes a response as it is', () => {
  expect(asResponse(good)).toBe(good);
});

it.each([
  [undefined, 'it must be an object, it is undefined'],
  [['x'], 'it must be an object'],
  [{ ...good, content: 'hi' }, 'content must be a list of blocks, it is "hi"'],
  [{ ...good, content: [null] }, 'content.0 must be a block, it is null'],
  [{ ...good, content: [{ type: 'toString' }] }, 'content.0.type must be one of text, thinking,'],
  [{ ...good, content: [{ type: 'text' }] }, 'content.0.text must be a text, it is undefined'],
  [{ ...good, stopReason: 'stop' }, 'stopReason must be one of end_turn, tool_use,'],
  [{ ...good, usage: undefined }, 'usage must be an object, it is undefined'],
  [{ ...good, usage: { ...usage, inputTokens: Number.NaN } }, 'usage.inputTokens must be a number'],
  [
    { ...good, usage: { ...usage, outputTokens: -1 } },
    'usage.outputTokens must be a number from 0',
  ],
  [
    { ...good, usage: { inputTokens: 1, outputTokens: 1 } },
    'usage.cacheReadTokens must be a number',
  ],
  [{ ...good, isEstimated: 'no' }, 'isEstimated must be true or false, it is "no"'],
  [{ ...good, model: undefined }, 'model must be a name, it is undefined'],
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
