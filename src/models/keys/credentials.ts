// Owns credential pools: which provider and address their keys are for, and which pool a model's calls go under. Pure.
import { describe, TroupeError } from '../../base/failures.ts';
import type { KeyPool, LeaseStrategy } from '../../protocol/key-pool.ts';
import type { ModelSpec } from '../../protocol/model-spec.ts';
import { providerDefaults, rootOf } from '../endpoint.ts';

export const poolProviders = ['anthropic', 'openai'] as const;

/** Keys of one provider at one address. They are sent there and nowhere else; two addresses are never one pool. */
export type CredentialPool = {
  /** Whose keys they are. */
  readonly provider: (typeof poolProviders)[number];
  /** Default: the provider's own address. */
  readonly baseUrl?: string;
  /** Default `least_used`: agents that run side by side lease different keys while there are any. */
  readonly strategy?: LeaseStrategy;
  /** A key, or a key with the label that events call it by; without one it is called by its place, `key 1`. */
  readonly keys: readonly (string | { readonly key: string; readonly label: string })[];
};

/** Provider and address as one string: what a key is scoped to. Scheme, host, port and path all count. */
export function endpointOf(provider: string, baseUrl: string | undefined): string {
  const own =
    provider === 'anthropic' || provider === 'openai' ? providerDefaults[provider].address : null;
  const { origin, pathname } = new URL(baseUrl ?? own ?? `${provider}:own`);
  return `${provider} at ${origin}${pathname.replace(/\/+$/, '')}`;
}

/** The address alone. The version at its end is no part of it: an API may be named with it or without. */
function addressOf(provider: CredentialPool['provider'], baseUrl: string | undefined): string {
  const { origin, pathname } = new URL(baseUrl ?? providerDefaults[provider].address);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}

/** The pools by endpoint. Throws `invalid_options` when two are for one endpoint; never names a key. */
export function readPools(pools: readonly CredentialPool[]): readonly KeyPool[] {
  const seen = new Set<string>();
  return pools.map(({ provider, baseUrl, strategy = 'least_used', keys }, index) => {
    const endpoint = endpointOf(provider, baseUrl);
    const place = `${provider} at ${addressOf(provider, baseUrl)}`;
    if (seen.has(place)) {
      throw new TroupeError(
        'invalid_options',
        `credentials.${index}: a second pool for ${endpoint}`,
        {
          detail: { field: `credentials.${index}` },
        },
      );
    }
    seen.add(place);
    const labelled = keys.map((each, place) => {
      return typeof each === 'string' ? { key: each.trim(), label: `key ${place + 1}` } : each;
    });
    return {
      endpoint,
      strategy,
      keys: labelled.map(({ key, label }) => ({ key: key.trim(), label })),
    };
  });
}

type KeyedSpec = Exclude<ModelSpec, { readonly type: 'offline' }>;

/**
 * The specification under the keys of a pool: of its address, when it names one, whatever its provider; else of its
 * provider's first pool, at that pool's address. Null when no pool is for it, or it brings a key. Throws
 * `model_key_wrong_host` when its provider has pools and none is for its address: a key never goes to another host.
 */
export function withPool(spec: KeyedSpec, pools: readonly CredentialPool[]): KeyedSpec | null {
  if (spec.apiKey !== undefined) return null;
  const own = pools.filter(({ provider }) => provider === spec.type);
  const pool = spec.baseUrl === undefined ? own[0] : poolAt(spec, spec.baseUrl, pools);
  if (pool !== undefined) {
    const baseUrl = spec.baseUrl ?? pool.baseUrl;
    const root = rootOf(pool.provider, { ...spec, baseUrl });
    return { ...spec, ...root, pool: endpointOf(pool.provider, pool.baseUrl) };
  }
  if (own.length === 0 || spec.baseUrl === undefined) return null;
  const wanted = endpointOf(spec.type, spec.baseUrl);
  const addresses = own.map(({ provider, baseUrl }) => endpointOf(provider, baseUrl));
  throw new TroupeError(
    'model_key_wrong_host',
    `no credential is for ${wanted}, they are for ${addresses.join(', ')}; got baseUrl ${describe(spec.baseUrl)}`,
    { detail: { wanted, addresses } },
  );
}

/** Of several pools at one address, the one whose provider's API is spoken. */
function poolAt(
  { apiMode }: KeyedSpec,
  baseUrl: string,
  pools: readonly CredentialPool[],
): CredentialPool | undefined {
  const there = pools.filter((pool) => {
    const { provider } = pool;
    return addressOf(provider, pool.baseUrl) === addressOf(provider, baseUrl);
  });
  const isAnthropic = apiMode === providerDefaults.anthropic.apiMode;
  return there.find(({ provider }) => (provider === 'anthropic') === isAnthropic) ?? there[0];
}
