// Checks how a line of the system's thread table is read, and what is said where there is none (V9).
import { readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasWorked, isAsleep, runTimeOf, stateOf } from '#src/threads/thread-state.js';

describe('stateOf', () => {
  it.each([
    ['a plain name', '4242 (node) R 1 4242 4242 0 -1 4194304', 'R'],
    ['a name with a space', '4242 (libuv worker) S 1 4242 4242 0 -1', 'S'],
    ['a name with parentheses', '4242 (a (b) c) D 1 4242 4242 0 -1', 'D'],
    ['a name that looks like a state', '4242 (x) R (y) S 1 4242 4242', 'S'],
    ['a name that ends in a parenthesis', '4242 (x)) Z 1 4242 4242', 'Z'],
    ['a name that opens one', '4242 (() T 1 4242 4242', 'T'],
    ['a name with a line break', '4242 (a\n) R b) S 1 4242 4242\n', 'S'],
    ['an empty name', '4242 () R 1 4242 4242', 'R'],
  ])('finds the state behind %s (V9)', (_which, line, state) => {
    expect(stateOf(line)).toBe(state);
  });

  it.each(['', '4242', '4242 (node', '4242 (node)', '4242 (node) ', 'node) R 1'])(
    'finds none in %j (V9)',
    (line) => {
      expect(stateOf(line)).toBeNull();
    },
  );
});

describe('isAsleep', () => {
  it('is false of the thread that asks (V9)', () => {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));

    expect(isAsleep(id, null)).toBe(false);
  });

  it.each([
    ['no id is known', null],
    ['no thread has it', 0],
  ])('is false where %s (V9)', (_why, id) => {
    expect(isAsleep(id, null)).toBe(false);
  });
});

describe('hasWorked', () => {
  const at = (ranMs: number, atMs: number) => ({ ranMs, atMs });

  it.each([
    ['nothing of a second', at(5, 0), at(5, 1_000), false],
    ['a twentieth of a second', at(5, 0), at(55, 1_000), false],
    ['half of a second', at(5, 0), at(505, 1_000), true],
    ['half of a millisecond', at(5, 0), at(5.5, 1), true],
    ['a time that was not counted before', null, at(505, 1_000), false],
    ['a time that is not counted now', at(5, 0), null, false],
  ])('judges a thread that ran for %s (V9)', (_what, before, now, expected) => {
    expect(hasWorked(before, now)).toBe(expected);
  });

  it('counts a loop of this thread (V9)', () => {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    const before = runTimeOf(id);
    let now = before;
    // The kernel counts what runs at its ticks.
    while (now !== null && before !== null && now.ranMs === before.ranMs) now = runTimeOf(id);

    expect(before).not.toBeNull();
    expect(now?.ranMs).toBeGreaterThan(before?.ranMs ?? Number.POSITIVE_INFINITY);
  });
});
