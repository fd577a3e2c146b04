// Checks where the images of answers go for APIs that take none there.
import { expect, it } from 'vitest';
import { withDrawnImagesMoved } from '#src/models/providers/drawn-images.js';
import type { Message } from '#src/protocol/history.js';
import { imageBlock } from '#src/protocol/image.js';

const drawn = imageBlock('image/png', 'AA==');
const text = { type: 'text', text: 'a cat' } as const;
const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok' } as const;
const go = { type: 'text', text: 'now a dog' } as const;

it('leaves a conversation alone in which no answer has an image', () => {
  const messages: Message[] = [
    { role: 'user', content: [drawn] },
    { role: 'assistant', content: [text] },
  ];

  expect(withDrawnImagesMoved(messages)).toBe(messages);
});

it('moves it behind the results of the next user message, ahead of its text', () => {
  const messages: Message[] = [
    { role: 'user', content: [text] },
    { role: 'assistant', content: [text, drawn] },
    { role: 'user', content: [result, go] },
    { role: 'assistant', content: [drawn] },
  ];

  expect(withDrawnImagesMoved(messages)).toEqual([
    messages[0],
    { role: 'assistant', content: [text, { type: 'text', text: '[image, see below]' }] },
    { role: 'user', content: [result, drawn, go] },
    { role: 'assistant', content: [{ type: 'text', text: '[image, see below]' }] },
  ]);
});
