// Checks who is refused when actors wait on each other for threads.
import { expect, test } from 'vitest';
import { newestDeadlocked } from '#src/supervision/deadlock.js';

type Waits = Readonly<Record<string, readonly string[]>>;

const decide = (users: readonly string[], queued: readonly string[], waits: Waits) =>
  newestDeadlocked({ users, queued, waitsOf: (actor) => waits[actor] ?? [] });

test.each<[string, readonly string[], readonly string[], Waits, string | null]>([
  ['a parent that waits for its own child', ['p'], ['c'], { p: ['c'] }, 'c'],
  ['a holder that works', ['p'], ['c'], {}, null],
  ['one holder of two that works', ['p', 'q'], ['c'], { p: ['c'] }, null],
  ['two parents, each waiting for its child', ['p', 'q'], ['c', 'd'], { p: ['c'], q: ['d'] }, 'd'],
  ['a holder that waits for the other holder', ['p', 'q'], ['c'], { p: ['c'], q: ['p'] }, 'c'],
  ['a wish that nobody waits for', ['p'], ['c', 'stranger'], { p: ['c'] }, 'c'],
  ['holders that wait for somebody without a thread who works', ['p'], ['c'], { p: ['i'] }, null],
  ['the same, who waits for the wish', ['p'], ['c'], { p: ['i'], i: ['c'] }, 'c'],
  ['a holder that also waits for one who works', ['p'], ['c'], { p: ['c', 'i'] }, null],
  [
    'holders in a ring of asks, with nobody queued for them',
    ['p', 'q'],
    ['c'],
    { p: ['q'], q: ['p'] },
    null,
  ],
  ['nobody queued', ['p'], [], { p: ['p'] }, null],
])('decides over %s (V7)', (_case, users, queued, waits, victim) => {
  expect(decide(users, queued, waits)).toBe(victim);
});
