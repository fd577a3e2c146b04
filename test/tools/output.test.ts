// Proves the caps on what a tool puts into history: nothing is cut in silence, no character in half.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, toContent } from '#src/tools/output.js';

test.each([
  ['below the cap', 'abc', 4, 'abc'],
  ['at the cap', 'abcd', 4, 'abcd'],
])('leaves a text %s alone', (_case, text, cap, expected) => {
  expect(cutText(text, cap)).toBe(expected);
});

test('cuts a long text so that it and the note about it fit the cap (E10)', () => {
  const text = `${'a'.repeat(30)}\n${'b'.repeat(60_000)}`;

  const cut = cutText(text, 50_000);

  expect(cut.length).toBeLessThanOrEqual(50_000);
  expect(cut.length).toBeGreaterThan(49_980);
  expect(cut).toMatch(
    /b\n\[cut: 49,\d{3} of 60,031 characters shown, up to line 2; ask for a smaller part\]$/,
  );
});

test('says where the whole text is when it is kept', () => {
  const kept: string[] = [];

  const cut = cutText('x'.repeat(300), 200, (text) => `${kept.push(text)}.txt`);

  expect(cut).toMatch(/^x+\n\[cut: \d+ of 300 characters shown.* the whole text is in 1\.txt\]$/);
  expect(kept).toEqual(['x'.repeat(300)]);
});

test('never goes beyond its cap, and never cuts a pair of surrogates in half', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.integer({ min: 1, max: 400 }),
      (unit, cap) => {
        const text = unit.repeat(200);

        const cut = cutText(text, cap);

        expect(cut.length).toBeLessThanOrEqual(Math.max(cap, text.length <= cap ? text.length : 1));
        if (cut.length < text.length)
          expect(/[\ud800-\udbff](?![\udc00-\udfff])/.test(cut)).toBe(false);
      },
    ),
  );
});

test('shares the cap between text blocks, keeps them as one text and counts those left out', () => {
  const kept: string[] = [];
  const blocks = [100, 300, 10, 10].map((size) => ({ type: 'text', text: 'x'.repeat(size) }));

  const content = toContent(blocks, 300, (text) => `${kept.push(text)}.txt`);

  expect(content).toEqual([
    { type: 'text', text: 'x'.repeat(100) },
    { type: 'text', text: expect.stringMatching(/^x+\n\[cut: \d+ of 300 .* is in 1\.txt\]$/) },
    { type: 'text', text: '[cut: 2 more content blocks]' },
  ]);
  expect(kept.map((text) => text.length)).toEqual([100 + 300 + 10 + 10 + 6]);
});

test('leaves out the images that are too many together, and says so', () => {
  const image = (size: number) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(size) },
  });
  const large = image(4_900_000);

  const content = toContent([large, large, large, large, large, image(400_000)], 10);

  const notice = /^\[an image of 4,900,000 base64 characters left out: all .* 20,000,000, ask for/;
  expect(content).toHaveLength(6);
  expect([...content].slice(4)).toEqual([
    { type: 'text', text: expect.stringMatching(notice) },
    image(400_000),
  ]);
});

test('leaves out an image of a kind that no provider takes, and says so', () => {
  const source = { type: 'base64', media_type: 'image/tiff', data: 'AAAA' };

  expect(toContent([{ type: 'image', source }], 10)).toEqual([
    { type: 'text', text: '[an image that cannot be shown: image/tiff]' },
  ]);
});

test('leaves out an image that no provider takes, and says so', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(5_000_001) };

  expect(toContent([{ type: 'image', source }], 10)).toEqual([
    { type: 'text', text: '[an image of 5,000,001 base64 characters left out]' },
  ]);
});
