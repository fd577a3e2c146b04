// Owns credential pools: which provider and address their keys are for, and which pool a model's calls go under. Pure.
import { describe, TroupeError } from '../errors.ts';
import type { LeaseStrategy } from './key-choice.ts';
import type { ModelSpec } from './resolve.ts';

export const poolProviders = ['anthropic', 'openai'] as const;

/** Keys of one provider at one address. They are sent there and nowhere else; two addresses are never one pool. */
export type CredentialPool = {
  readonly provider: (typeof poolProviders)[number];
  /** Default: the provider's own address. */
  readonly baseUrl?: string;
  /** Default `least_used`: agents that run side by side lease different keys while there are any. */
  readonly strategy?: LeaseStrategy;
  /** A key, or a key with the label that events call it by; without one it is called by its place, `key 1`. */
  readonly keys: readonly (string | { readonly key: string; readonly label: string })[];
};

/** A pool as the gateway gets it. */
export type KeyPool = {
  readonly endpoint: string;
  readonly strategy: LeaseStrategy;
  readonly keys: readonly { readonly key: string; readonly label: string }[];
};

const ownAddress: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
};

/** Provider and address in one word: what a key is scoped to. Scheme, host, port and path all count. */
export function endpointOf(provider: string, baseUrl: string | undefined): string {
  const { origin, pathname } = new URL(baseUrl ?? ownAddress[provider] ?? `${provider}:own`);
  return `${provider} at ${origin}${pathname.replace(/\/+$/, '')}`;
}

/** The pools by endpoint. Throws `invalid_options` when two are for one endpoint; never names a key. */
export function readPools(pools: readonly CredentialPool[]): readonly KeyPool[] {
  const seen = new Set<string>();
  return pools.map(({ provider, baseUrl, strategy = 'least_used', keys }, index) => {
    const endpoint = endpointOf(provider, baseUrl);
    if (seen.has(endpoint)) {
      throw new TroupeError(
        'invalid_options',
        `credentials.${index}: a second pool for ${endpoint}`,
        {
          detail: { field: `credentials.${index}` },
        },
      );
    }
    seen.add(endpoint);
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
 * The specification with the address of its pool: its own when it names one, else that of the provider's first pool.
 * Null when no pool is for the provider. Throws `model_key_wrong_host` when it names another address than any pool
 * and brings no key of its own: a key never goes to another host.
 */
export function withPool(spec: KeyedSpec, pools: readonly CredentialPool[]): KeyedSpec | null {
  const own = pools.filter(({ provider }) => provider === spec.type);
  const [first] = own;
  if (first === undefined || spec.apiKey !== undefined) return null;
  if (spec.baseUrl === undefined) {
    return first.baseUrl === undefined ? spec : { ...spec, baseUrl: first.baseUrl };
  }
  const wanted = endpointOf(spec.type, spec.baseUrl);
  const addresses = own.map(({ provider, baseUrl }) => endpointOf(provider, baseUrl));
  if (addresses.includes(wanted)) return spec;
  throw new TroupeError(
    'model_key_wrong_host',
    `no credential is for ${wanted}, they are for ${addresses.join(', ')}; got baseUrl ${describe(spec.baseUrl)}`,
    { detail: { wanted, addresses } },
  );
}
