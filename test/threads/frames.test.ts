// Checks messages in a stream of bytes: they come out as they went in, in whatever pieces they came.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameReader, frameOf } from '#src/protocol/frames.js';

const message = fc.oneof(
  fc.anything({ withDate: true, withMap: true, withSet: true, withTypedArray: true }),
  fc.string({ minLength: 0, maxLength: 3_000 }),
);

it('come out as they went in, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }),
      (messages, sizes) => {
        const stream = Buffer.concat(messages.map((each) => frameOf(each)));
        const reader = new FrameReader();
        const read: unknown[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          // A copy: the stream may use its memory again.
          read.push(...reader.push(Uint8Array.from(stream.subarray(at, at + size))));
          at += size;
        }
        expect(read).toEqual(messages);
      },
    ),
  );
});

it('are refused before they are held when they are too long', () => {
  const reader = new FrameReader(1_000);

  expect(() => reader.push(Buffer.from([0xe9, 3, 0, 0]))).toThrow('a message of 1001 bytes');
});

it('are refused where they cannot be cloned', () => {
  expect(() => frameOf({ run: () => {} })).toThrow('could not be cloned');
});
