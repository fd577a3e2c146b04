// Owns what a `model` option may be, where it runs, and how a plain specification becomes a model. Loads no SDK.
import { describe, TroupeError, unreachable } from '../errors.ts';
import { missingKey } from './adapter-failure.ts';
import { anthropic } from './anthropic.ts';
import type { Model } from './model.ts';
import { offline } from './offline.ts';

/** A model as plain data: what crosses to the gateway's thread. */
export type ModelSpec =
  | { readonly type: 'offline' }
  | {
      readonly type: 'anthropic';
      readonly model: string;
      readonly baseUrl?: string;
      readonly apiKey?: string;
    };

/** Where a model runs: built from its specification in the gateway, or as the object it is on the host. */
export type ModelRoute =
  | { readonly route: 'gateway'; readonly spec: ModelSpec }
  | { readonly route: 'host'; readonly model: Model };

/** The environment variables that specifications take their secrets and addresses from. */
export type ModelEnv = Readonly<Record<string, string | undefined>>;

const known = 'known are "offline", "anthropic:<model id>" and objects with `id` and `respond`';

/** Reads a `model` option; anything unknown throws `model_unknown` naming the value and what is known. */
export function resolveModel(value: unknown): ModelRoute {
  if (isModel(value)) return { route: 'host', model: value };
  if (typeof value === 'string') {
    if (value === 'offline') return { route: 'gateway', spec: { type: 'offline' } };
    const model = /^anthropic:(\S+)$/.exec(value)?.[1];
    if (model !== undefined) return { route: 'gateway', spec: { type: 'anthropic', model } };
  }
  throw new TroupeError('model_unknown', `no such model: ${describe(value)}; ${known}`);
}

function isModel(value: unknown): value is Model {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false;
  return typeof value.id === 'string' && 'respond' in value && typeof value.respond === 'function';
}

/**
 * The specification with its key and address from `env`, for the gateway and nobody else.
 * Throws `model_key_missing` before anything starts; call it where the model is chosen.
 */
export function withCredentials(spec: ModelSpec, env: ModelEnv): ModelSpec {
  if (spec.type === 'offline') return spec;
  const apiKey = (spec.apiKey ?? env['ANTHROPIC_API_KEY'] ?? '').trim();
  if (apiKey === '') throw missingKey('ANTHROPIC_API_KEY');
  const baseUrl = spec.baseUrl ?? env['ANTHROPIC_BASE_URL'];
  if (baseUrl === undefined || baseUrl === '') return { ...spec, apiKey };
  if (!URL.canParse(baseUrl)) {
    throw new TroupeError(
      'invalid_options',
      `ANTHROPIC_BASE_URL must be a URL; got ${describe(baseUrl)}`,
    );
  }
  return { ...spec, apiKey, baseUrl };
}

/** What outcomes and events call the model of a specification. */
export function modelId(spec: ModelSpec): string {
  return spec.type === 'offline' ? 'offline' : `anthropic:${spec.model}`;
}

/** Builds the model of a specification that has its credentials. */
export function createModel(spec: ModelSpec): Model {
  switch (spec.type) {
    case 'offline':
      return offline();
    case 'anthropic': {
      const { model, apiKey = '', baseUrl } = spec;
      // The provider's line is the one layer that tries again (models/retry.ts).
      const options = { model, apiKey, maxRetries: 0 };
      return anthropic(baseUrl === undefined ? options : { ...options, baseUrl });
    }
    default:
      return unreachable(spec);
  }
}
