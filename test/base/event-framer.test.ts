// Checks the cutting of streams into events: whole ones, whatever pieces come, in a time that grows with their bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventFramer } from '#src/base/event-framer.js';

function eventsOf(pieces: readonly Uint8Array[]): readonly string[] {
  const framer = new EventFramer();
  const events = pieces.flatMap((piece) => framer.push(piece));
  return [...events, ...framer.end()].map((event) => Buffer.from(event).toString());
}

function split(text: string, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('a stream of events', () => {
  it.each([
    ['\n', 'event: a\ndata: 1\n\ndata: 2\ndata: 3\n\n'],
    ['\r\n', 'event: a\r\ndata: 1\r\n\r\ndata: 2\r\ndata: 3\r\n\r\n'],
    ['\r', 'event: a\rdata: 1\r\rdata: 2\rdata: 3\r\r'],
    ['all kinds', 'event: a\r\ndata: 1\n\r\ndata: 2\rdata: 3\r\n\n'],
    ['\n after blank lines', '\n\n\nevent: a\ndata: 1\n\n\n\ndata: 2\ndata: 3\n\n'],
    ['\n and comments', ': x\n\nevent: a\n:: y\ndata: 1\n\n: z\n\ndata: 2\n:\ndata: 3\n\n'],
  ])('is cut where an event ends, in pieces of any size, by %j', (_, text) => {
    for (let size = 1; size <= text.length; size += 1) {
      expect(eventsOf(split(text, size))).toEqual([
        'event: a\ndata: 1\n\n',
        'data: 2\ndata: 3\n\n',
      ]);
    }
  });

  it('keeps what it ends within', () => {
    expect(eventsOf([Buffer.from('data: 1\n\ndata: é')])).toEqual(['data: 1\n\n', 'data: é']);
    expect(eventsOf([Buffer.from('data: 1\n')])).toEqual(['data: 1\n']);
  });

  it('holds nothing of a comment, and says how much it holds of an event', () => {
    const framer = new EventFramer();
    for (let round = 0; round < 100; round += 1) framer.push(Buffer.from(`:${'x'.repeat(1_000)}`));
    expect(framer.bufferedBytes).toBe(0);

    framer.push(Buffer.from('\ndata: 1'));

    expect(framer.bufferedBytes).toBe(7);
  });

  it('says the same whatever pieces it comes in', () => {
    const word = fc.constantFrom('data: 1', ': c', '\n', '\r', '\r\n', 'x', ':');
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 1, max: 9 }), (words, size) => {
        const text = words.join('');
        expect(eventsOf(split(text, size))).toEqual(eventsOf([Buffer.from(text)]));
      }),
    );
  });
});
