// Checks that a line without an end is refused, wherever lines are read, and long ones are read whole.
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readLines } from '#src/cli/lines.js';
import { readLine } from '#src/dialects/agent-family/user/line-reader.js';
import { replayed } from '#src/testing.js';
import { temporaryFolder } from './fixtures/tool-context.ts';
import { within } from './supervisor/support.ts';

const kibi = Buffer.alloc(65_536, 'x');
const never = new AbortController().signal;

it('a line of a person is read in any pieces, and refused beyond 1 MiB', async () => {
  const input = new PassThrough();
  for (const piece of ['on', 'e\r', '\ntw', 'o\n']) input.write(piece);
  expect(await within(readLine(input, never), 'a line')).toBe('one');
  expect(await within(readLine(input, never), 'a line')).toBe('two');

  const reading = readLine(input, never);
  for (let at = 0; at < 17; at += 1) input.write(kibi);

  await expect(within(reading, 'the refusal')).rejects.toMatchObject({
    code: 'invalid_options',
    detail: { what: 'one line', limit: 1_048_576, seen: expect.any(Number) },
  });
});

it('a file of tasks is read up to a line of more than 16 Mi characters', async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"goal":"a"}\n');
    for (;;) {
      given += kibi.length;
      yield kibi;
    }
  }
  const lines: string[] = [];

  const reading = (async () => {
    for await (const line of readLines(endless())) lines.push(line);
  })();

  await expect(within(reading, 'the refusal')).rejects.toThrow(/more than 16777216 characters/);
  expect(lines).toEqual(['{"goal":"a"}']);
  expect(given).toBeLessThan(2 * 16_777_216);
});

it('a cassette of more than 256 MiB is refused before it is read', () => {
  const file = join(temporaryFolder(), 'large.jsonl');
  const descriptor = openSync(file, 'w');
  ftruncateSync(descriptor, 268_435_457);
  closeSync(descriptor);

  expect(() => replayed({ file })).toThrow(
    expect.objectContaining({
      code: 'cassette_refused',
      message: expect.stringContaining('has 268435457 bytes, more than 268435456'),
    }),
  );
});
