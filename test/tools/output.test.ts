// Proves the caps on what a tool puts into history: nothing is cut in silence, no character in half.

import { expect, test } from 'vitest';
import { cutText, toContent } from '#src/tools/output.js';

test.each([
  ['below the cap', 'abc', 4, 'abc'],
  ['at the cap', 'abcd', 4, 'abcd'],
])('leaves a text %s alone', (_case, text, cap, expected) => {
  expect(cutText(text, cap)).toBe(expected);
});

test('cuts a text one above the cap and says how much is shown', () => {
  const cut = cutText('ab\ncde', 5);

  expect(cut).toBe('ab\ncd\n[cut: 5 of 6 characters shown, up to line 2; ask for a smaller part]');
});

test('cuts no surrogate pair in half', () => {
  expect(cutText('ab😀cd', 3)).toMatch(/^ab\n\[cut: 2 of 6/);
});

test('shares the cap between text blocks and counts the blocks left out', () => {
  const blocks = ['abcd', 'efgh', 'ij', 'kl'].map((text) => ({ type: 'text', text }));

  const content = toContent(blocks, 6);

  expect(content).toEqual([
    { type: 'text', text: 'abcd' },
    { type: 'text', text: expect.stringMatching(/^ef\n\[cut: 2 of 4/) },
    { type: 'text', text: '[cut: 2 more content blocks]' },
  ]);
});

test('leaves out an image that no provider takes, and says so', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(5_000_001) };

  expect(toContent([{ type: 'image', source }], 10)).toEqual([
    { type: 'text', text: '[an image of 5,000,001 base64 characters left out]' },
  ]);
});
