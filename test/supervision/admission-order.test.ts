// Checks who gets the next place: agents that go on, descendants, roots, in their orders, and no root that waits for ever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdmissionOrder, type Queued } from '#src/supervision/admission-order.js';

type Item = Queued & { readonly id: string };

function task(id: string, depth: number, isPaused = false): Item {
  return { id, isReady: false, depth, isRoot: depth === 0, isPaused };
}

function ready(id: string, depth: number): Item {
  return { id, isReady: true, depth, isRoot: depth === 0, isPaused: false };
}

function orderWith(waiting: readonly Item[]): AdmissionOrder<Item> {
  const order = new AdmissionOrder<Item>();
  for (const item of waiting) order.add(item);
  return order;
}

/** All that wait, in the order in which they get their places. */
function orderOf(waiting: readonly Item[], isPaused = false, isFull = false): readonly string[] {
  const order = orderWith(waiting);
  const served: string[] = [];
  const when = { isPaused, isFull };
  for (let next = order.take(when); next !== null; next = order.take(when)) {
    served.push(next.id);
  }
  return served;
}

const free = { isPaused: false, isFull: false };

function many(name: string, count: number, depth: number): readonly Item[] {
  return Array.from({ length: count }, (_, at) => task(`${name} ${at}`, depth));
}

describe('AdmissionOrder', () => {
  it('serves agents that go on first, then descendants, deepest first, then roots in their order (V7)', () => {
    const waiting = [
      task('root 1', 0),
      task('child', 1),
      task('root 2', 0),
      ready('answered root', 0),
      task('grandchild', 2),
      ready('answered child', 1),
    ];

    expect(orderOf(waiting)).toEqual([
      'answered child',
      'answered root',
      'grandchild',
      'child',
      'root 1',
      'root 2',
    ]);
  });

  it('keeps the order of arrival within one depth (V7)', () => {
    expect(orderOf([task('a', 1), task('b', 1), task('c', 1)])).toEqual(['a', 'b', 'c']);
  });

  it('passes over what its owner has paused', () => {
    expect(orderOf([task('held', 2, true), task('free', 0)])).toEqual(['free']);
  });

  it('takes what a loop of the program asked by a tool for a root, one level down (V7)', () => {
    const asked: Item = { ...task('asked', 1), isRoot: true };

    expect(orderOf([task('root', 0), asked, task('child', 1)])).toEqual(['child', 'root', 'asked']);
  });

  it('serves running trees and no root while paused', () => {
    const waiting = [task('root', 0), task('child', 1), ready('answered', 0)];

    expect(orderOf(waiting, true)).toEqual(['answered', 'child']);
  });

  it('admits the oldest root as the eighth, however many descendants wait (V7)', () => {
    const served = orderOf([...many('child', 30, 1), ...many('root', 3, 0)]);

    expect(served.indexOf('root 0')).toBe(7);
    expect(served.indexOf('root 1')).toBe(15);
    expect(served.indexOf('root 2')).toBe(23);
    expect(served.slice(-6)).toEqual(
      many('child', 30, 1)
        .slice(-6)
        .map(({ id }) => id),
    );
  });

  it('lets no root pass descendants while as many trees are open as agents may be live (V7)', () => {
    const served = orderOf([...many('child', 30, 1), ...many('root', 3, 0)], false, true);

    expect(served.indexOf('root 0')).toBe(30);
  });

  it('counts what is admitted before a root from when the root waits, and lets what goes on pass uncounted (V7)', () => {
    const order = orderWith(many('child', 20, 1));
    for (let at = 0; at < 10; at += 1) order.take(free);
    order.add(task('root', 0));
    const served: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      order.add(ready(`ready ${at}`, 1));
      served.push(order.take(free)?.id ?? '', order.take(free)?.id ?? '');
    }

    expect(served.filter((id) => id.startsWith('ready'))).toHaveLength(8);
    expect(served.at(-1)).toBe('root');
  });

  it('forgets what left, and counts nothing twice', () => {
    const [root, child, goesOn] = [task('root', 0), task('child', 1), ready('goes on', 1)];
    const order = orderWith([root, child, goesOn, root, child, goesOn]);

    expect([order.size, order.roots, order.has(child)]).toEqual([3, 1, true]);

    order.delete(child);
    order.delete(child);
    order.delete(goesOn);

    expect([order.size, order.roots, order.has(child)]).toEqual([1, 1, false]);
    expect([...order.first()]).toEqual([root]);
  });

  it('serves what goes on before all others and descendants before roots, but for each eighth (V7)', () => {
    const item = fc.record({
      id: fc.uuid(),
      isReady: fc.boolean(),
      depth: fc.nat(4),
      isRoot: fc.boolean(),
      isPaused: fc.constant(false),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), (waiting) => {
        const byId = new Map(waiting.map((each) => [each.id, each]));
        const served = orderOf(waiting).map((id) => byId.get(id) ?? task(id, 0));
        const first = served.filter(({ isReady }) => !isReady);
        const isForced = (at: number): boolean =>
          first[at]?.isRoot === true && first.slice(at + 1).some(({ isRoot }) => !isRoot);
        const forced = first.flatMap((_, at) => (isForced(at) ? [at] : []));
        const free = first.filter((_, at) => !isForced(at));
        const ranks = free.map(({ isRoot, depth }) => (isRoot ? 0 : depth + 1));

        expect(served).toHaveLength(byId.size);
        expect(served.slice(0, served.length - first.length).every((each) => each.isReady)).toBe(
          true,
        );
        expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
        expect(forced).toEqual(forced.map((_, nth) => 8 * nth + 7));
      }),
    );
  });
});
