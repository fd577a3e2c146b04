// Checks who gets the next slot: parked agents, descendants, roots, in their orders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickNext, type Queued } from '#src/supervision/admission.js';

type Item = Queued & { readonly id: string };

function task(id: string, depth: number, order: number, isPaused = false): Item {
  return { id, isReady: false, depth, isRoot: depth === 0, order, isPaused };
}

function parked(id: string, depth: number, order: number): Item {
  return { id, isReady: true, depth, isRoot: depth === 0, order };
}

/** Everybody who waits, in the order the slots are handed out. */
function orderOf(waiting: readonly Item[], isPaused = false): readonly string[] {
  const left = new Set(waiting);
  const served: string[] = [];
  for (let next = pickNext(left, isPaused); next !== null; next = pickNext(left, isPaused)) {
    left.delete(next);
    served.push(next.id);
  }
  return served;
}

describe('pickNext', () => {
  it('serves parked agents first, then descendants, deepest first, then roots in their order (V7)', () => {
    const waiting = [
      task('root 1', 0, 1),
      task('child', 1, 2),
      task('root 2', 0, 3),
      parked('answered root', 0, 4),
      task('grandchild', 2, 5),
      parked('answered child', 1, 6),
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
    expect(orderOf([task('b', 1, 7), task('c', 1, 9), task('a', 1, 2)])).toEqual(['a', 'b', 'c']);
  });

  it('passes over who is held, whoever waits behind', () => {
    expect(orderOf([task('held', 2, 1, true), task('free', 0, 2)])).toEqual(['free']);
  });

  it('takes what a loop of the program asked by a tool for a root, one level down (V7)', () => {
    const asked: Item = { ...task('asked', 1, 2), isRoot: true };

    expect(orderOf([task('root', 0, 1), asked, task('child', 1, 3)])).toEqual([
      'child',
      'root',
      'asked',
    ]);
  });

  it('serves running trees and no root while paused', () => {
    const waiting = [task('root', 0, 1), task('child', 1, 2), parked('answered', 0, 3)];

    expect(orderOf(waiting, true)).toEqual(['answered', 'child']);
  });

  it('never serves a root before a descendant, whatever waits (V7)', () => {
    const item = fc.record({
      id: fc.uuid(),
      isReady: fc.boolean(),
      depth: fc.nat(4),
      isRoot: fc.boolean(),
      order: fc.nat(1_000),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 30 }), (waiting) => {
        const byId = new Map(waiting.map((each) => [each.id, each]));
        const ranks = orderOf(waiting).map((id) => {
          const { isReady, depth, isRoot } = byId.get(id) ?? task(id, 0, 0);
          return (isReady ? 100 : 0) + (isRoot ? 0 : depth + 1);
        });

        expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
        expect(ranks).toHaveLength(byId.size);
      }),
    );
  });
});
