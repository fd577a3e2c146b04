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
type Place = { readonly pool: KeyPool; readonly line: ProviderLine };

export class ProviderDesk {
  readonly #options: ProviderDeskOptions;
  readonly #create: (spec: ModelSpec) => Model;
  readonly #pools = new Map<string, KeyPool>();
  /** By endpoint and keys: a model that brings its own key stands in no pool's line. */
  readonly #lines = new Map<string, ProviderLine>();
  readonly #models = new Map<
    string,
    { readonly model: Model; readonly line: ProviderLine | null }
  >();
  readonly #lives = new Map<string, { readonly agentId: string; readonly line: ProviderLine }>();

  constructor(options: ProviderDeskOptions) {
    this.#options = options;
    this.#create = options.create ?? createModel;
  }

  /** The keys there are; told before any life is bound. */
  usePools(pools: readonly KeyPool[]): void {
    for (const pool of pools) this.#pools.set(pool.endpoint, pool);
  }

  /** The model of a life. One client, with its connections, for all lives on the same specification and key. */
  modelFor(token: string, agentId: string, spec: ModelSpec): Model {
    const { model, line } = this.#known(spec);
    if (line !== null) this.#lives.set(token, { agentId, line });
    return model;
  }

  /** A life is over: its agent's lease is free. */
  end(token: string): void {
    const life = this.#lives.get(token);
    this.#lives.delete(token);
    life?.line.release(life.agentId);
  }

  #known(spec: ModelSpec): { readonly model: Model; readonly line: ProviderLine | null } {
    const key = JSON.stringify(spec);
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const made = this.#build(spec);
    this.#models.set(key, made);
    return made;
  }

  /** The host checks specifications; one that still cannot be built fails its own calls and no others. */
  #build(spec: ModelSpec): { readonly model: Model; readonly line: ProviderLine | null } {
    try {
      if (spec.type === 'offline') return { model: this.#create(spec), line: null };
      const { pool, line } = this.#placeOf(spec);
      const keys = pool.keys.map(({ key }) => key);
      const modelWith = (apiKey: string): Model => this.#create({ ...spec, apiKey });
      return { model: pooledModel({ keys, modelWith, line }), line };
    } catch (error) {
      const model = { id: modelId(spec), respond: () => Promise.reject(error) };
      return { model, line: null };
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
    let line = this.#lines.get(id);
    if (line === undefined) {
      const { clock, random, onRotated } = this.#options;
      const labels = pool.keys.map(({ label }) => label);
      const { strategy } = pool;
      line = new ProviderLine({ endpoint, labels, strategy, clock, random, onRotated });
      this.#lines.set(id, line);
    }
    return { pool, line };
  }
}
