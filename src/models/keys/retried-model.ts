// Owns the model that agents see in place of the one that answers: its calls go through a client that lets them out and retries.

import type { ModelReply } from '../../protocol/model-messages.ts';
import { isEmptyAnswer } from '../empty-answer.ts';
import type { Model } from '../model.ts';
import { countChars, countHeadChars, estimateTokens } from '../token-estimate.ts';
import type { Attempt } from './key-rotation.ts';
import type { RateLimitedClient } from './rate-limited-client.ts';

export type RetriedModelOptions = {
  /** What is known of the model before it is asked. */
  readonly facts: Omit<Model, 'respond' | 'useClock'>;
  /** The model behind a key. It must not retry by itself: the client does. */
  readonly modelAt: (key: number) => Pick<Model, 'respond'>;
  readonly client: RateLimitedClient;
  /** What a call fails with for what the model threw. */
  readonly toError: (thrown: unknown) => unknown;
  /** Headers come from a provider: they tell the limits of its key. */
  readonly readsHeaders: boolean;
};

/** A model whose calls wait in the client and are retried as retry.ts defines, an empty answer once: the loop knows of none of it (B32). */
export function retriedModel(options: RetriedModelOptions): Model {
  const { facts, modelAt, client, toError, readsHeaders } = options;
  return {
    ...facts,
    async respond(request, call) {
      let hasStreamed = false;
      const { signal } = call;
      const chars = countHeadChars(request.system, request.tools) + countChars(request.messages);
      const caller = {
        agent: request.agent,
        signal,
        tokens: estimateTokens(chars),
        hasFallback: call.hasFallback === true,
        hasStreamed: () => hasStreamed,
      };
      let attempts = 0;
      const attempt: Attempt<ModelReply> = async (key, onResponse) => {
        if (attempts > 0) call.onBroken?.();
        attempts += 1;
        try {
          return await modelAt(key).respond(request, {
            signal,
            onResponse: (status, headers) => {
              call.onResponse?.(status, headers);
              if (readsHeaders) onResponse(status, headers);
            },
            onOutput: (chars) => call.onOutput?.(chars),
            onUsage: (usage) => call.onUsage?.(usage),
            onBroken: () => call.onBroken?.(),
            onDelta: (delta) => {
              hasStreamed = true;
              call.onDelta(delta);
            },
          });
        } catch (error) {
          throw toError(error);
        }
      };
      const answer = await client.run(caller, attempt);
      if (!client.retries || hasStreamed || !isEmptyAnswer(answer)) return answer;
      // Models of the program report what they took with the answer alone.
      const { usage } = answer;
      if (usage !== undefined) {
        call.onUsage?.({ cacheReadTokens: 0, cacheWriteTokens: 0, ...usage });
      }
      return await client.run(caller, attempt);
    },
  };
}
