// Owns the model that agents see in place of a provider's: one model per key of a pool, behind one rate-limited client.
import { TroupeError, toFailure } from '../../base/failures.ts';
import { withoutKeys } from '../../base/secret-text.ts';
import type { Model } from '../model.ts';
import { countChars, countHeadChars, estimateTokens } from '../token-estimate.ts';
import type { RateLimitedClient } from './rate-limited-client.ts';

export type PooledModelOptions = {
  readonly keys: readonly string[];
  /** Builds the model behind one key. It must not retry by itself: the rate-limited client does. */
  readonly modelWith: (key: string) => Model;
  readonly client: RateLimitedClient;
};

/**
 * A model whose calls wait in the rate-limited client, go out under the key that their agent is on, and are retried as
 * retry.ts defines, so that the loop knows of none of it (B32, C41). No key of the pool is in any error.
 */
export function pooledModel({ keys, modelWith, client }: PooledModelOptions): Model {
  const [firstKey = ''] = keys;
  const first = modelWith(firstKey);
  const models = new Map<number, Model>([[0, first]]);
  const modelAt = (index: number): Model => {
    const known = models.get(index);
    if (known !== undefined) return known;
    // The rate-limited client returns indexes of this very list.
    const model = modelWith(keys[index] ?? firstKey);
    models.set(index, model);
    return model;
  };
  return {
    ...first,
    async respond(request, call) {
      let hasStreamed = false;
      const { signal } = call;
      const chars = countHeadChars(request.system, request.tools) + countChars(request.messages);
      const caller = {
        agent: request.agent,
        signal,
        tokens: estimateTokens(chars),
        hasStreamed: () => hasStreamed,
      };
      let attempts = 0;
      return await client.run(caller, async (key, onResponse) => {
        if (attempts > 0) call.onBroken?.();
        attempts += 1;
        try {
          return await modelAt(key).respond(request, {
            signal,
            onResponse: (status, headers) => {
              call.onResponse?.(status, headers);
              onResponse(status, headers);
            },
            onOutput: (chars) => call.onOutput?.(chars),
            onUsage: (usage) => call.onUsage?.(usage),
            onDelta: (delta) => {
              hasStreamed = true;
              call.onDelta(delta);
            },
          });
        } catch (error) {
          const failure = toFailure(error, 'model_failed');
          // A provider may quote any key it was ever shown.
          throw TroupeError.from({ ...failure, message: withoutKeys(failure.message, keys) });
        }
      });
    },
  };
}
