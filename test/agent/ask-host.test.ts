// Checks how a thread gives up a call of the host's services: the host is told once, by whoever knows first.
import { expect, test } from 'vitest';
import { askHost } from '#src/agent/ask-host.js';

/** A host whose one call is answered when the test says so. */
function host() {
  const received: string[] = [];
  let answer: (value: unknown) => void = () => {};
  const ask = (): Promise<unknown> => {
    received.push('call');
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const abort = async (): Promise<void> => {
    received.push('abort');
  };
  return { received, ask, abort, answer: (value: unknown) => answer(value) };
}

test.each([
  ['tells the host that its call was given up', false, ['call', 'abort']],
  ['says nothing of an interrupt, which came from the host (S4)', true, ['call']],
])('a signal that aborts %s', async (_what, isInformed, expected) => {
  const { ask, abort, answer, received } = host();
  const { signal, abort: abortSignal } = aborting();
  const asking = askHost(ask, { signal, abort, isInformed: () => isInformed });

  abortSignal();
  expect(received).toEqual(expected);
  answer('given up');

  expect(await asking).toBe('given up');
  expect(received).toEqual(expected);
});

test('a signal that aborts after the answer has no effect', async () => {
  const { ask, abort, answer, received } = host();
  const { signal, abort: abortSignal } = aborting();
  const asking = askHost(ask, { signal, abort });
  answer('done');
  expect(await asking).toBe('done');

  abortSignal();

  expect(received).toEqual(['call']);
});

function aborting(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
