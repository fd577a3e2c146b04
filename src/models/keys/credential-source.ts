// Owns how the credentials of a model came about, described without keys: which pool, endpoint and variable. Pure.

import { providers } from '../../protocol/model-spec.ts';
import { type ModelEnv, providerDefaults } from '../endpoint.ts';
import type { ModelRoute } from '../resolve.ts';
import { type CredentialPool, readPools } from './credentials.ts';

export type CredentialSource = {
  /** `none`: the model needs none. `program`: an object of the program, whose credentials are its own. */
  readonly source: 'none' | 'program' | 'pool' | 'environment' | 'endpoint';
  /** The host that calls go to; null where the runtime does not know it. */
  readonly host: string | null;
  /** The environment variable that the key was taken from. */
  readonly variable?: string;
  /** What events call the keys of the pool; never a part of one. */
  readonly labels?: readonly string[];
};

export function credentialSource(
  route: ModelRoute,
  pools: readonly CredentialPool[],
  env: ModelEnv,
): CredentialSource {
  if (route.route === 'host') return { source: 'program', host: null };
  const { spec } = route;
  if (spec.type === 'offline') return { source: 'none', host: null };
  const address =
    spec.baseUrl ?? (spec.type === 'custom' ? '' : providerDefaults[spec.type].address);
  const host = URL.canParse(address) ? new URL(address).host : null;
  const { apiKey } = spec;
  if (apiKey === undefined) {
    const pool = readPools(pools).find(({ endpoint }) => endpoint === spec.pool);
    return { source: 'pool', host, labels: pool?.keys.map(({ label }) => label) ?? [] };
  }
  const variables = providers.map((name) => providerDefaults[name].keyVariable);
  const variable = variables.find((name) => env[name]?.trim() === apiKey);
  return variable === undefined
    ? { source: 'endpoint', host }
    : { source: 'environment', host, variable };
}
