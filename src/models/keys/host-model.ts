// Owns how a model object of the program is asked: retried like the model of a provider, with limits of its own.
import type { Clock } from '../../base/clock.ts';
import type { RetryPolicy } from '../../protocol/retry-policy.ts';
import type { Model } from '../model.ts';
import { ownFailure } from '../providers/own-failure.ts';
import type { OutageListeners } from './key-rotation.ts';
import { RateLimitedClient } from './rate-limited-client.ts';
import { retriedModel } from './retried-model.ts';

export type HostModelOptions = OutageListeners & {
  readonly clock: Pick<Clock, 'after' | 'wallTime'>;
  readonly random: () => number;
  readonly policy: RetryPolicy;
};

/** A model as agents ask it, and what is called when an agent asks it no more. */
export type HostModel = { readonly model: Model; release(agentId: string): void };

/** The model, retried unless it does so itself. What limits it has is not known: as many calls go out as come, until a 429. */
export function hostModel(own: Model, options: HostModelOptions): HostModel {
  if (own.retry === false) return { model: own, release: () => {} };
  const { id, maxOutputTokens, refusedSettings, price } = own;
  const client = new RateLimitedClient({
    ...options,
    endpoint: id,
    labels: [id],
    strategy: 'fill_first',
    initialCalls: null,
    onRotated: () => {},
  });
  const model = retriedModel({
    facts: {
      id,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(refusedSettings === undefined ? {} : { refusedSettings }),
      ...(price === undefined ? {} : { price }),
    },
    modelAt: () => own,
    client,
    toError: ownFailure,
    readsHeaders: false,
  });
  return { model, release: (agentId) => client.release(agentId) };
}
