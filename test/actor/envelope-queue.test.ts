// Checks the queue of envelopes against an array.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EnvelopeQueue } from '#src/actor/envelope-queue.js';
import { envelope } from '../support/envelope.ts';

const termination = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('push' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('unshift' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('shift' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('takeLast' as const),
      count: fc.integer({ min: 0, max: 6 }),
    }),
  },
);

it('holds what an array holds, whatever is done to it', () => {
  fc.assert(
    fc.property(fc.array(termination, { maxLength: 60 }), (terminations) => {
      const queue = new EnvelopeQueue();
      let model: number[] = [];
      let lastId = 0;
      for (const step of terminations) {
        switch (step.type) {
          case 'push':
            lastId += 1;
            queue.push(envelope({ id: lastId }));
            model.push(lastId);
            break;
          case 'unshift':
            lastId += 1;
            queue.unshift(envelope({ id: lastId }));
            model.unshift(lastId);
            break;
          case 'shift':
            expect(queue.shift()?.id).toBe(model.shift());
            break;
          case 'takeLast': {
            const kept = Math.max(model.length - step.count, 0);
            expect(queue.takeLast(step.count).map(({ id }) => id)).toEqual(model.slice(kept));
            model = model.slice(0, kept);
            break;
          }
        }
        expect(queue.length).toBe(model.length);
      }
      const left: (number | undefined)[] = [];
      while (queue.length > 0) left.push(queue.shift()?.id);
      expect(left).toEqual(model);
      expect(queue.shift()).toBeNull();
    }),
  );
});

it('lets go of an envelope it gave away', () => {
  const queue = new EnvelopeQueue();
  queue.push(envelope({ id: 1 }));
  queue.push(envelope({ id: 2 }));

  expect(queue.shift()?.next).toBeNull();
});
