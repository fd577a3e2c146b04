// Checks how a thread gives up a call of the host's services: the host is told once, by whoever knows first.
import { expect, test } from 'vitest';
import { askHost } from '#src/agent/ask-host.js';

/** A host whose one call is answered when the test says so. */
function host() {
  const heard: string[] = [];
  let answer: (value: unknown) => void = () => {};
  const callService = (name: string): Promise<unknown> => {
    heard.push(name);
    if (name === 'give_up') return Promise.resolve();
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  return { heard, callService, answer: (value: unknown) => answer(value) };
}

const call = { name: 'call', input: {} };
const onAbort = { name: 'give_up', input: {} };

test.each([
  ['tells the host that its call was given up', false, ['call', 'give_up']],
  ['S4 says nothing of an interrupt, which came from the host', true, ['call']],
])('a signal that aborts %s', async (_what, isTold, heard) => {
  const { callService, answer, heard: seen } = host();
  const abort = new AbortController();
  const { signal } = abort;
  const asking = askHost({ callService }, call, { signal, onAbort, isTold: () => isTold });

  abort.abort();
  expect(seen).toEqual(heard);
  answer('given up');

  expect(await asking).toBe('given up');
  expect(seen).toEqual(heard);
});

test('a signal that aborts after the answer tells nobody', async () => {
  const { callService, answer, heard } = host();
  const abort = new AbortController();
  const asking = askHost({ callService }, call, { signal: abort.signal, onAbort });
  answer('done');
  expect(await asking).toBe('done');

  abort.abort();

  expect(heard).toEqual(['call']);
});
