// Owns a model of tests that answers when it is told to, and says when it is asked. Starts no test.
import type { Model } from '#src/index.js';
import type { Message } from '#src/protocol/history.js';
import { within } from './support.ts';

/** A model that answers when it is told to, and says when it is asked. */
export function gatedModel() {
  const asked: (readonly Message[])[] = [];
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  let answer: (text: string) => void = () => {};
  const model: Model = {
    id: 'held',
    respond: ({ messages }, { signal }) => {
      asked.push(messages);
      for (const { count, resolve } of waiters) if (asked.length >= count) resolve();
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        answer = (text) =>
          resolve({
            content: [{ type: 'text', text }],
            stopReason: 'end_turn',
            usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
            isEstimated: true,
            model: 'held',
          });
      });
    },
  };
  const isAsked = (count: number): Promise<void> =>
    within(
      new Promise((resolve) => {
        if (asked.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
      `request ${count}`,
    );
  return { ...model, asked, isAsked, answer: (text: string) => answer(text) };
}
