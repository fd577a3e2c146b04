// Checks how work and waits end with a signal: which end counts, with which reason, and that no listener is left.
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { abortablePromise, unlessAborted, withAbort } from '#src/base/with-abort.js';

const fault = new Error('its own fault');
const reason = new Error('the reason given');

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
/** What a promise comes to, be it a value or an error. */
const endOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error) => error);
const throwing = (): never => {
  throw fault;
};

/** What comes to a wait, in one breath, and what the wait has to come to. */
const ends = [
  [['resolve'], 'done'],
  [['reject'], fault],
  [['resolve', 'abort'], 'done'],
  [['reject', 'abort'], fault],
  [['abort', 'resolve'], reason],
  [['abort', 'reject'], reason],
] as const;

/** An open wait of either kind, all that may come to it, and how often its own end was called. */
function open(kind: 'promise' | 'start', why?: () => unknown) {
  const controller = new AbortController();
  const { signal } = controller;
  let steps = { resolve: (_: string): void => {}, reject: (_: Error): void => {} };
  const calls = { ended: 0 };
  const start = (resolve: (value: string) => void, reject: (error: Error) => void) => {
    steps = { resolve, reject };
    return () => {
      calls.ended += 1;
    };
  };
  const ended = endOf(
    kind === 'start'
      ? abortablePromise(signal, start, why)
      : unlessAborted(signal, new Promise<string>(start), why),
  );
  const comes = {
    resolve: () => steps.resolve('done'),
    reject: () => steps.reject(fault),
    abort: () => controller.abort(reason),
  };
  return { signal, ended, comes, calls };
}

describe('withAbort', () => {
  test('ends as its work does, with and without a signal, and listens no more (S2)', async () => {
    const abort = new AbortController();
    const onAbort = (): void => expect.unreachable();

    for (const signal of [abort.signal, undefined]) {
      expect(await endOf(withAbort(signal, onAbort, async () => 'done'))).toBe('done');
      expect(await endOf(withAbort(signal, onAbort, () => Promise.reject(fault)))).toBe(fault);
      expect(await endOf(withAbort(signal, onAbort, throwing))).toBe(fault);
    }

    expect(listeners(abort.signal)).toBe(0);
    abort.abort();
  });

  test('calls back as the signal aborts, or before the work, and awaits the work (S2)', async () => {
    const abort = new AbortController();
    const order: unknown[] = [];
    const run = (): Promise<number> =>
      withAbort(
        abort.signal,
        (aborted) => order.push(aborted.reason),
        async () => order.push('work'),
      );

    const first = run();
    abort.abort(reason);
    const second = run();

    expect(order).toEqual(['work', reason, reason, 'work']);
    expect(await Promise.all([first, second])).toEqual([1, 4]);
    expect(listeners(abort.signal)).toBe(0);
  });
});

describe('unlessAborted', () => {
  test.each(ends)(
    'given %j keeps what came first, and listens no more (S2)',
    async (steps, end) => {
      const { signal, ended, comes } = open('promise');
      expect(listeners(signal)).toBe(1);

      for (const step of steps) comes[step]();

      expect(await ended).toBe(end);
      expect(listeners(signal)).toBe(0);
    },
  );

  test('rejects at once for a signal that has aborted, a settled promise excepted (S2)', async () => {
    const signal = AbortSignal.abort(reason);

    expect(await endOf(unlessAborted(signal, new Promise(() => {})))).toBe(reason);
    expect(await unlessAborted(signal, Promise.resolve('done'))).toBe('done');

    expect(listeners(signal)).toBe(0);
  });
});

describe('an abortable promise', () => {
  test.each(ends)(
    'given %j ends its wait with the first, synchronously (S2)',
    async (steps, end) => {
      const { signal, ended, comes, calls } = open('start');
      expect(listeners(signal)).toBe(1);

      const [first, ...later] = steps;
      comes[first]();
      expect([calls.ended, listeners(signal)]).toEqual([1, 0]);
      for (const step of later) comes[step]();

      expect(await ended).toBe(end);
    },
  );

  test('never starts for a signal that has aborted, and lets none listen to a failed start (S2)', async () => {
    const { signal } = new AbortController();

    expect(await endOf(abortablePromise(AbortSignal.abort(reason), throwing))).toBe(reason);
    expect(await endOf(abortablePromise(signal, throwing))).toBe(fault);

    expect(listeners(signal)).toBe(0);
  });
});

test.each(['promise', 'start'] as const)(
  'another error for a %s is made as its signal aborts, after the wait has ended (S2)',
  async (kind) => {
    const seen: number[] = [];
    const wait = open(kind, () => {
      seen.push(wait.calls.ended);
      return fault;
    });

    wait.comes.abort();

    expect(seen).toEqual([kind === 'start' ? 1 : 0]);
    expect(await wait.ended).toBe(fault);
  },
);
