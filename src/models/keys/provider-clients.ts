// Owns the models of the gateway's thread: a client per pool, a pooled model per specification, a lease per activation.
import type { Clock } from '../../base/clock.ts';
import type { KeyPool } from '../../protocol/key-pool.ts';
import type { Rotation } from '../../protocol/key-rotation.ts';
import type { GatewayModel, ModelSpec } from '../../protocol/model-spec.ts';
import type { RetryPolicy } from '../../protocol/retry-policy.ts';
import type { Model } from '../model.ts';
import { createModel, modelId } from '../resolve.ts';
import { defaultRetryPolicy } from '../retry.ts';
import { endpointOf } from './credentials.ts';
import type { OutageListeners } from './key-rotation.ts';
import { pooledModel } from './pooled-model.ts';
import { RateLimitedClient } from './rate-limited-client.ts';
import { defaultStart } from './rate-limiter.ts';

export type ProviderClientsOptions = OutageListeners & {
  readonly clock: Pick<Clock, 'after' | 'wallTime'>;
  readonly random: () => number;
  readonly onRotated: (rotation: Rotation) => void;
  /** Default: the real ones. */
  readonly create?: (spec: ModelSpec) => Model;
};

export type ProviderSettings = {
  readonly pools: readonly KeyPool[];
  readonly initialCalls: number;
  readonly retry: RetryPolicy;
};

type KeyedSpec = Exclude<ModelSpec, { readonly type: 'offline' }>;
/** A client and the number of models that use it. */
type KnownClient = { readonly client: RateLimitedClient; models: number };
type KnownModel = {
  readonly key: string;
  readonly model: Model;
  /** Endpoint and key of its client: a model with a key of its own uses no pool's client. Null without a client. */
  readonly place: string | null;
  readonly client: RateLimitedClient | null;
  readonly isOfTask: boolean;
  activations: number;
};

/** The activation that models are for. */
export type ClientLifetime = { readonly token: string; readonly agentId: string };

/** A model chosen by many names has more clients than it ever uses at once: the least recently used is forgotten. */
const maxModels = 256;

export class ProviderClients {
  readonly #options: ProviderClientsOptions;
  readonly #create: (spec: ModelSpec) => Model;
  readonly #pools = new Map<string, KeyPool>();
  #initialCalls = defaultStart;
  #policy = defaultRetryPolicy;
  readonly #models = new Map<string, KnownModel>();
  /** Those that no activation is on, the least recently used first. */
  readonly #idle = new Set<KnownModel>();
  /** A client exists as long as a model uses it. */
  readonly #clients = new Map<string, KnownClient>();
  readonly #activations = new Map<
    string,
    { readonly agentId: string; readonly known: readonly KnownModel[] }
  >();

  constructor(options: ProviderClientsOptions) {
    this.#options = options;
    this.#create = options.create ?? createModel;
  }

  /** Sets the known keys, how many calls each lets out before its first answer, and the retries; before any activation is bound. */
  use({ pools, initialCalls, retry }: ProviderSettings): void {
    for (const pool of pools) this.#pools.set(pool.endpoint, pool);
    this.#initialCalls = initialCalls;
    this.#policy = retry;
  }

  /**
   * The models of an activation, in their order. All activations on the same specification and key share one client and
   * its connections. 256 models are kept, and beyond them those in use; one whose key came with a task is kept for its activations only.
   * When the last model of an endpoint and key is forgotten, so is what was known of its limits.
   */
  modelsFor(
    [first, ...others]: readonly [GatewayModel, ...GatewayModel[]],
    { token, agentId }: ClientLifetime,
  ): readonly [Model, ...Model[]] {
    const known = [this.#knownFor(first), ...others.map((model) => this.#knownFor(model))] as const;
    const before = this.#activations.get(token)?.known ?? [];
    for (const each of known) {
      each.activations += 1;
      this.#idle.delete(each);
    }
    this.#activations.set(token, { agentId, known });
    for (const each of before) this.#leave(each);
    this.#forgetIdle();
    const [{ model }, ...fallbacks] = known;
    return [model, ...fallbacks.map((each) => each.model)];
  }

  #knownFor({ spec, isOfTask }: GatewayModel): KnownModel {
    const key = JSON.stringify(spec);
    return this.#models.get(key) ?? this.#build(key, spec, isOfTask === true);
  }

  /** An activation is over: its agent's leases are free. */
  end(token: string): void {
    const activation = this.#activations.get(token);
    if (activation === undefined) return;
    this.#activations.delete(token);
    for (const known of activation.known) {
      known.client?.release(activation.agentId);
      this.#leave(known);
    }
    this.#forgetIdle();
  }

  #leave(known: KnownModel): void {
    known.activations -= 1;
    if (known.activations > 0) return;
    if (known.isOfTask) this.#forget(known);
    else this.#idle.add(known);
  }

  /** Models in use are kept, whatever the limit: another client for the same key would not know of their calls. */
  #forgetIdle(): void {
    for (const known of this.#idle) {
      if (this.#models.size <= maxModels) return;
      this.#forget(known);
    }
  }

  #forget(known: KnownModel): void {
    this.#idle.delete(known);
    this.#models.delete(known.key);
    const { place } = known;
    const client = place === null ? undefined : this.#clients.get(place);
    if (place === null || client === undefined) return;
    client.models -= 1;
    if (client.models === 0) this.#clients.delete(place);
  }

  #build(key: string, spec: ModelSpec, isOfTask: boolean): KnownModel {
    const known: KnownModel = { key, isOfTask, activations: 0, ...this.#modelOf(spec) };
    this.#models.set(key, known);
    return known;
  }

  /** The host checks specifications; one that still cannot be built fails its own calls and no others. */
  #modelOf(spec: ModelSpec): Pick<KnownModel, 'model' | 'place' | 'client'> {
    const alone = { client: null, place: null };
    try {
      if (spec.type === 'offline') return { ...alone, model: this.#create(spec) };
      const pool = this.#poolOf(spec);
      const place = `${pool.endpoint} ${spec.apiKey ?? ''}`;
      const client = this.#clients.get(place)?.client ?? this.#newClient(pool);
      const keys = pool.keys.map(({ key }) => key);
      const modelWith = (apiKey: string): Model => this.#create({ ...spec, apiKey });
      const model = pooledModel({ keys, modelWith, client });
      this.#clients.set(place, { client, models: (this.#clients.get(place)?.models ?? 0) + 1 });
      return { model, place, client };
    } catch (error) {
      return { ...alone, model: { id: modelId(spec), respond: () => Promise.reject(error) } };
    }
  }

  #poolOf({ type, baseUrl, apiKey = '', pool }: KeyedSpec): KeyPool {
    const known = pool === undefined ? undefined : this.#pools.get(pool);
    const endpoint = endpointOf(type, baseUrl);
    return known ?? { endpoint, strategy: 'fill_first', keys: [{ key: apiKey, label: 'key 1' }] };
  }

  #newClient({ endpoint, strategy, keys }: KeyPool): RateLimitedClient {
    const { clock, random, onRotated, onOutage, onOutageWait } = this.#options;
    const labels = keys.map(({ label }) => label);
    const initialCalls = this.#initialCalls;
    const policy = this.#policy;
    return new RateLimitedClient({
      endpoint,
      labels,
      strategy,
      clock,
      random,
      policy,
      initialCalls,
      onRotated,
      onOutage,
      onOutageWait,
    });
  }
}
