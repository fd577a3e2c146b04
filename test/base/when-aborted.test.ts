// Checks that many waits for one signal cost it one listener, and leave none behind.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { whenAborted } from '#src/base/when-aborted.js';

test('calls all that wait, in their order, and none that has stopped (S2)', () => {
  const abort = new AbortController();
  const called: string[] = [];
  const stops = ['a', 'b', 'c'].map((name) => whenAborted(abort.signal, () => called.push(name)));
  stops[1]?.();

  abort.abort();

  expect(called).toEqual(['a', 'c']);
});

test('adds one listener for any number, and removes it with the last (S2)', () => {
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, 'abort').length;

  const stops = Array.from({ length: 50 }, () => whenAborted(signal, () => {}));
  expect(listeners()).toBe(1);
  for (const stop of stops) stop();

  expect(listeners()).toBe(0);
});

test('goes on calling when one that is called stops another (S2)', () => {
  const abort = new AbortController();
  const called: string[] = [];
  whenAborted(abort.signal, () => {
    called.push('a');
    stopB();
  });
  const stopB = whenAborted(abort.signal, () => called.push('b'));
  whenAborted(abort.signal, () => called.push('c'));

  abort.abort();

  expect(called).toEqual(['a', 'c']);
});

test('never calls for a signal that has aborted, and listens to it no more (S2)', () => {
  const signal = AbortSignal.abort();

  const stop = whenAborted(signal, () => expect.unreachable());
  stop();

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
