// Checks text in columns: its width, its cutting, and what never reaches a terminal.
import { expect, test } from 'vitest';
import { readLines } from '#src/cli/lines.js';
import { clip, clipStart, oneLine, pad, widthOf } from '#src/cli/text.js';

test.each([
  ['plain', 5],
  ['日本', 4],
  ['👩‍👩‍👧', 2],
  ['é', 1],
])('%s is %d columns wide', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ['abcdef', 6, 'abcdef', 'abcdef'],
  ['abcdef', 4, 'abc…', '…def'],
  ['日本語', 4, '日…', '…語'],
  ['👩‍👩‍👧abc', 3, '👩‍👩‍👧…', '…bc'],
  ['abc', 1, '…', '…'],
  ['abc', 0, '', ''],
])('%s cut to %d columns', (text, width, start, end) => {
  expect([clip(text, width), clipStart(text, width)]).toEqual([start, end]);
});

test('cuts a whole document to a few columns, from either side', () => {
  const text = `begin ${'日本 '.repeat(100_000)} end`;

  expect([clip(text, 11), clipStart(text, 11)]).toEqual(['begin 日本…', '… 日本  end']);
});

test('pads on either side and never cuts', () => {
  expect([pad('日', 4), pad('日', 4, 'right'), pad('abc', 2)]).toEqual(['日  ', '  日', 'abc']);
});

test('lets no control character through', () => {
  expect(oneLine('a\u001b[31mb\r\nc\u009b2Jd\u0007')).toBe('a [31mb c 2Jd');
});

async function linesOf(...chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  }
  const lines: string[] = [];
  for await (const line of readLines(stream())) lines.push(line);
  return lines;
}

test('cuts a stream into lines wherever its chunks end', async () => {
  const euro = new TextEncoder().encode('€');

  expect(await linesOf('\ufeffa\r', '\nb', 'c\n\nd')).toEqual(['a', 'bc', '', 'd']);
  expect(await linesOf(euro.subarray(0, 1), euro.subarray(1), '\n')).toEqual(['€']);
  expect(await linesOf('')).toEqual([]);
});
