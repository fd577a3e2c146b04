// Owns the model of a provider: one per key of a pool, behind one rate-limited client.
import { TroupeError, toFailure } from '../../base/failures.ts';
import { withoutKeys } from '../../base/secret-text.ts';
import type { Model } from '../model.ts';
import type { RateLimitedClient } from './rate-limited-client.ts';
import { retriedModel } from './retried-model.ts';

export type PooledModelOptions = {
  readonly keys: readonly string[];
  /** Builds the model behind one key. It must not retry by itself: the rate-limited client does. */
  readonly modelWith: (key: string) => Model;
  readonly client: RateLimitedClient;
};

/** A model whose calls go out under the key that their agent is on (C41). No key of the pool is in any error. */
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
  const toError = (thrown: unknown): TroupeError => {
    const failure = toFailure(thrown, 'model_failed');
    // A provider may quote any key it was ever shown.
    return TroupeError.from({ ...failure, message: withoutKeys(failure.message, keys) });
  };
  return retriedModel({ facts: first, modelAt, client, toError, readsHeaders: true });
}
