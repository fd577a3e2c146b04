// Owns the models of the gateway's thread: one line per pool, one pooled model per specification, one lease per life.
import type { Clock } from '../clock.ts';
import { endpointOf, type KeyPool } from './credentials.ts';
import type { Rotation } from './line-caller.ts';
import type { Model } from './model.ts';
import { pooledModel } from './pooled-model.ts';
import { ProviderLine } from './provider-line.ts';
import { createModel, type ModelSpec, modelId } from './resolve.ts';

export type ProviderDeskOptions = {
  readonly clock: Pick<Clock, 'after' | 'wallTime'>;
  readonly random: () => number;
  readonly onRotated: (rotation: Rotation) => void;
  /** Default: the real ones. */
  readonly create?: (spec: ModelSpec) => Model;
};

type KeyedSpec = Exclude<ModelSpec, { readonly type: 'offline' }>;
type Place = { readonly id: string; readonly pool: KeyPool; readonly line: ProviderLine };
type KnownModel = {
  readonly model: Model;
  readonly line: ProviderLine | null;
  /** Endpoint and key of its line: a model that brings its own key stands in no pool's line. */
  readonly place: string;
  lives: number;
};

/** A service with a key per tenant has more clients than it ever uses at once: the least recently used is forgotten. */
const mostModels = 256;

export class ProviderDesk {
  readonly #options: ProviderDeskOptions;
  readonly #create: (spec: ModelSpec) => Model;
  readonly #pools = new Map<string, KeyPool>();
  /** By specification, the least recently used first. A line lasts as long as a model here stands in it. */
  readonly #models = new Map<string, KnownModel>();
  readonly #lives = new Map<string, { readonly agentId: string; readonly known: KnownModel }>();

  constructor(options: ProviderDeskOptions) {
    this.#options = options;
    this.#create = options.create ?? createModel;
  }

  /** The keys there are; told before any life is bound. */
  usePools(pools: readonly KeyPool[]): void {
    for (const pool of pools) this.#pools.set(pool.endpoint, pool);
  }

  /**
   * The model of a life. One client, with its connections, for all lives on the same specification and key. 256 are kept,
   * and those that a life is on beyond them; with the last model of an endpoint and key goes what was known of its limits.
   */
  modelFor(token: string, agentId: string, spec: ModelSpec): Model {
    const known = this.#known(spec);
    const before = this.#lives.get(token);
    if (before !== undefined) before.known.lives -= 1;
    known.lives += 1;
    this.#lives.set(token, { agentId, known });
    this.#forgetIdle();
    return known.model;
  }

  /** A life is over: its agent's lease is free. */
  end(token: string): void {
    const life = this.#lives.get(token);
    if (life === undefined) return;
    this.#lives.delete(token);
    life.known.lives -= 1;
    life.known.line?.release(life.agentId);
    this.#forgetIdle();
  }

  #known(spec: ModelSpec): KnownModel {
    const key = JSON.stringify(spec);
    const known = this.#models.get(key) ?? this.#build(spec);
    // The order of use is the order of the map.
    this.#models.delete(key);
    this.#models.set(key, known);
    return known;
  }

  /** What a life is on stays, whatever the limit: another line for its key would not know of its calls. */
  #forgetIdle(): void {
    for (const [key, { lives }] of this.#models) {
      if (this.#models.size <= mostModels) return;
      if (lives === 0) this.#models.delete(key);
    }
  }

  /** The host checks specifications; one that still cannot be built fails its own calls and no others. */
  #build(spec: ModelSpec): KnownModel {
    const alone = { line: null, place: '', lives: 0 };
    try {
      if (spec.type === 'offline') return { ...alone, model: this.#create(spec) };
      const { pool, line, id } = this.#placeOf(spec);
      const keys = pool.keys.map(({ key }) => key);
      const modelWith = (apiKey: string): Model => this.#create({ ...spec, apiKey });
      return { model: pooledModel({ keys, modelWith, line }), line, place: id, lives: 0 };
    } catch (error) {
      return { ...alone, model: { id: modelId(spec), respond: () => Promise.reject(error) } };
    }
  }

  #placeOf(spec: KeyedSpec): Place {
    const endpoint = endpointOf(spec.type, spec.baseUrl);
    const { apiKey = '' } = spec;
    const own: KeyPool = {
      endpoint,
      strategy: 'fill_first',
      keys: [{ key: apiKey, label: 'key 1' }],
    };
    const pool = apiKey === '' ? (this.#pools.get(endpoint) ?? own) : own;
    const id = `${endpoint} ${apiKey}`;
    return { pool, id, line: this.#lineAt(id) ?? this.#newLine(pool) };
  }

  #lineAt(id: string): ProviderLine | null {
    for (const { place, line } of this.#models.values()) if (place === id) return line;
    return null;
  }

  #newLine({ endpoint, strategy, keys }: KeyPool): ProviderLine {
    const { clock, random, onRotated } = this.#options;
    const labels = keys.map(({ label }) => label);
    return new ProviderLine({ endpoint, labels, strategy, clock, random, onRotated });
  }
}
