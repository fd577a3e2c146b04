// Checks when the threads of a set of modules stop being reused.
import { expect, it } from 'vitest';
import { Reuse } from '#src/threads/slot-reuse.js';

it.each([
  ['one failure', [['a', 0]], [false], true],
  [
    'two within a minute',
    [
      ['a', 0],
      ['a', 60_000],
    ],
    [false, true],
    false,
  ],
  [
    'two that are further apart',
    [
      ['a', 0],
      ['a', 60_001],
    ],
    [false, false],
    true,
  ],
  [
    'one of each of two sets',
    [
      ['a', 0],
      ['b', 1],
    ],
    [false, false],
    true,
  ],
  [
    'a third, which says nothing new',
    [
      ['a', 0],
      ['a', 1],
      ['a', 2],
    ],
    [false, true, false],
    false,
  ],
] as const)('%s (V1)', (_what, failures, ending, allowed) => {
  const reuse = new Reuse();

  const ended = failures.map(([set, at]) => reuse.failed(set, at));

  expect(ended).toEqual(ending);
  expect([reuse.allows('a'), reuse.allows(null)]).toEqual([allowed, true]);
});

it('what activations leave behind is told at the third in a row, once for each set of modules (W5)', () => {
  const reuse = new Reuse();
  const suspicions = (set: string, dirty: readonly boolean[]) =>
    dirty.map((isLeaking) => reuse.leftBehind(set, isLeaking));

  expect(suspicions('a', [true, true, false, true, true])).not.toContain(true);
  expect(suspicions('b', [true])).toEqual([false]);
  expect(suspicions('a', [true, true, false, true, true, true])).toEqual([
    true,
    ...Array(5).fill(false),
  ]);
});
