// Checks results of background work: each is received by the calls that wait for it, or by one notice, and none is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PendingResults } from '#src/base/pending-results.js';
import { gate, rejection } from '../supervisor/support.ts';

function rig() {
  const notices: string[] = [];
  const acknowledged: string[] = [];
  const pending = new PendingResults<string, string>(
    (result) => {
      notices.push(result);
      return () => notices.splice(notices.indexOf(result), 1);
    },
    (result, work) => acknowledged.push(`${work}: ${result}`),
  );
  return { pending, notices, acknowledged };
}

describe('results of background work', () => {
  it('are kept in the order of the ends until they are acknowledged', () => {
    const { pending, acknowledged } = rig();
    for (const id of ['a', 'b', 'c']) pending.add(id, `work ${id}`);

    pending.end('c', 'end of c');
    pending.end('a', 'end of a');

    expect(pending.works()).toEqual(['work a', 'work b', 'work c']);
    expect(pending.running()).toEqual(['work b']);
    expect(pending.results()).toEqual(['end of c', 'end of a']);
    expect([pending.acknowledge('c'), pending.acknowledge('c'), pending.acknowledge('b')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([pending.results(), acknowledged]).toEqual([['end of a'], ['work c: end of c']]);
  });

  it('are received by every call that waits, without a notice', async () => {
    const { pending, notices } = rig();
    const { opened, open } = gate();
    pending.add('a', 'work');
    const waits = [pending.wait('a', opened), pending.wait('a', opened)];

    pending.end('a', 'done');
    expect(pending.isUnclaimed('a')).toBe(false);
    open();

    expect(await Promise.all(waits)).toEqual(['done', 'done']);
    expect([notices, pending.size]).toEqual([[], 0]);
  });

  it('have no notice any more once a call has received them', async () => {
    const { pending, notices } = rig();
    pending.add('a', 'work');
    pending.end('a', 'done');
    expect(notices).toEqual(['done']);

    expect(await pending.wait('a', Promise.resolve())).toBe('done');

    expect(notices).toEqual([]);
  });

  it('have a notice when the call that waited gave up in the moment they came', async () => {
    const { pending, notices } = rig();
    pending.add('a', 'work');
    const given = rejection(pending.wait('a', Promise.reject(new Error('enough'))));

    pending.end('a', 'done');

    expect(await given).toMatchObject({ message: 'enough' });
    expect([notices, pending.isUnclaimed('a')]).toEqual([['done'], true]);
  });

  it('reach their owner exactly once, however calls wait and give up', async () => {
    const ids = fc.constantFrom('a', 'b');
    const step = fc.oneof(
      fc.record({ op: fc.constantFrom('end' as const, 'acknowledge' as const), id: ids }),
      fc.record({ op: fc.constant('wait' as const), id: ids, givesUp: fc.boolean() }),
    );

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { pending, notices } = rig();
        const received = new Set<string>();
        const ended = new Set<string>();
        const { opened, open } = gate();
        const waits: Promise<void>[] = [];
        for (const id of ['a', 'b']) pending.add(id, id);
        for (const given of steps) {
          const { op, id } = given;
          if (op === 'end' && !ended.has(id)) {
            ended.add(id);
            pending.end(id, id);
          } else if (op === 'acknowledge' && pending.acknowledge(id)) {
            received.add(id);
          } else if (op === 'wait' && pending.find(id) !== null) {
            const until = opened.then(() => (given.givesUp ? Promise.reject(id) : null));
            const wait = pending.wait(id, until);
            waits.push(
              wait.then(
                (result) => void (result !== null && received.add(result)),
                (reason) => expect(reason).toBe(id),
              ),
            );
          }
        }
        open();
        await Promise.all(waits);

        const left = [...ended].filter((id) => !received.has(id)).sort();
        expect([...notices].sort()).toEqual(left);
        expect([...pending.results()].sort()).toEqual(left);
      }),
    );
  });
});
