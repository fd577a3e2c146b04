// Owns what a `model` option may be, where it runs, and how a plain specification becomes a model. Loads no SDK.
import { describe, TroupeError } from '../base/failures.ts';
import { nearestName } from '../base/nearest-name.ts';
import { looksLikeKey } from '../base/secret-text.ts';
import type {
  ApiMode,
  GatewayModel,
  ModelSpec,
  Provider,
  RemoteSpec,
} from '../protocol/model-spec.ts';
import {
  checkAddress,
  checkKeyHost,
  detectApiMode,
  keyFor,
  type ModelEndpoint,
  type ModelEnv,
  providerDefaults,
  providerOf,
  rootOf,
} from './endpoint.ts';
import type { Model, SettingName } from './model.ts';
import { offline } from './offline/offline.ts';
import { missingKey } from './providers/adapter-failure.ts';
import { aiSdk, isAiSdkModel } from './providers/ai-sdk.ts';
import { anthropic, refusedByAnthropic } from './providers/anthropic.ts';
import { openai } from './providers/openai.ts';

/** Where a model runs: built from its specification in the gateway, or as the object it is on the host. */
export type ModelRoute =
  | ({ readonly route: 'gateway' } & GatewayModel)
  | { readonly route: 'host'; readonly model: Model };

const known =
  'known are "offline", "anthropic:<model id>", "openai:<model id>", { provider, model, baseUrl, apiKey, apiMode }, models of the AI SDK and objects with `id` and `respond`';

/**
 * Reads a `model` option; anything unknown throws `model_unknown` naming the value and what is known. What an endpoint
 * leaves out is that of `standsFor`; `invalid_options` when neither of them names a model.
 */
export function resolveModel(value: unknown, standsFor?: ModelRoute): ModelRoute {
  if (isModel(value)) return { route: 'host', model: value };
  if (isAiSdkModel(value)) return { route: 'host', model: aiSdk(value) };
  if (typeof value === 'string') {
    if (value === 'offline') return { route: 'gateway', spec: { type: 'offline' } };
    const [, type, model] = /^(anthropic|openai):(\S+)$/.exec(value) ?? [];
    if (model !== undefined) {
      refuseKey(model);
      return {
        route: 'gateway',
        spec: { type: type === 'openai' ? 'openai' : 'anthropic', model },
      };
    }
  }
  if (isEndpoint(value)) return { route: 'gateway', spec: endpointSpec(value, standsFor) };
  const hint = typeof value === 'string' ? modelHint(value) : '';
  throw new TroupeError('model_unknown', `no such model: ${describe(value)}; ${known}${hint}`);
}

/** The hint of what a text that names no model was meant for; empty when that is not clear. */
function modelHint(text: string): string {
  if (nearestName(text, ['offline']) !== null) return '; did you mean "offline"?';
  const [maker, id] = text.includes(':') ? text.split(':', 2) : [undefined, text];
  const near = maker === undefined ? makerOf(text) : nearestName(maker, ['anthropic', 'openai']);
  const isNamed = id !== undefined && /^\S+$/.test(id) && !looksLikeKey(id);
  return near === null || !isNamed ? '' : `; did you mean ${describe(`${near}:${id}`)}?`;
}

/** By how the names of its models begin. */
function makerOf(id: string): Provider | null {
  if (/^claude-/i.test(id)) return 'anthropic';
  return /^(gpt-|o\d|chatgpt-)/i.test(id) ? 'openai' : null;
}

/** A key in the place of a name would become public: in outcomes, events and files. */
function refuseKey(model: string): void {
  if (!looksLikeKey(model)) return;
  throw new TroupeError('model_unknown', `no such model: [key]; that looks like a key; ${known}`);
}

function isModel(value: unknown): value is Model {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false;
  return typeof value.id === 'string' && 'respond' in value && typeof value.respond === 'function';
}

const endpointKeys = ['provider', 'model', 'baseUrl', 'apiKey', 'apiMode'] as const;

/** True for an object that is meant to describe an endpoint; its schema checks whether it does. */
export function isEndpoint(value: unknown): value is ModelEndpoint {
  if (typeof value !== 'object' || value === null) return false;
  if ('respond' in value || 'specificationVersion' in value) return false;
  return endpointKeys.some((key) => key in value);
}

function endpointSpec(endpoint: ModelEndpoint, standsFor: ModelRoute | undefined): RemoteSpec {
  const { provider, baseUrl, apiKey, apiVersion } = endpoint;
  const parent = standsFor?.route === 'gateway' ? standsFor.spec : { type: 'offline' as const };
  const model = endpoint.model ?? (parent.type === 'offline' ? undefined : parent.model);
  if (model === undefined) refuse('model', 'the name of a model', 'undefined');
  refuseKey(model);
  if (baseUrl !== undefined) checkAddress('baseUrl', baseUrl);
  const apiMode = spokenAt(endpoint);
  const own = {
    model,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiMode === undefined ? {} : { apiMode }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
  if (baseUrl !== undefined) return { ...own, type: providerOf(baseUrl), baseUrl };
  // Another provider is another host: nothing of the parent's goes there but the model's name.
  if (provider !== undefined && provider !== parent.type) return { ...own, type: provider };
  if (parent.type !== 'offline') return { ...parent, ...own };
  if (provider === undefined) refuse('provider', 'anthropic or openai', 'undefined');
  return { ...own, type: provider };
}

/** The API that an endpoint names, or that its provider speaks at an address that is not its own. */
function spokenAt({ provider, baseUrl, apiMode }: ModelEndpoint): ApiMode | undefined {
  if (apiMode !== undefined && apiMode !== '') return apiMode;
  if (provider === undefined || baseUrl === undefined) return undefined;
  return detectApiMode(baseUrl, provider);
}

function refuse(field: string, wanted: string, got: string): never {
  throw new TroupeError('invalid_options', `model: ${field} must be ${wanted}; got ${got}`, {
    detail: { field },
  });
}

/**
 * The specification with its key, its address and its API, for the gateway alone. Throws before anything
 * starts: `model_key_missing`, `model_key_wrong_host`, `invalid_options`; call it where the model is chosen.
 */
export function withCredentials(spec: ModelSpec, env: ModelEnv): ModelSpec {
  if (spec.type === 'offline') return spec;
  const origin = spec.type === 'custom' ? null : providerDefaults[spec.type];
  const set = origin === null ? '' : (env[origin.addressVariable] ?? '');
  if (spec.baseUrl === undefined && origin !== null && set !== '') {
    checkAddress(origin.addressVariable, set);
  }
  const baseUrl = spec.baseUrl ?? (set === '' ? undefined : set);
  const address = baseUrl ?? origin?.address ?? '';
  const apiKey = (spec.apiKey ?? keyFor(address, env) ?? '').trim();
  if (apiKey === '') throw origin === null ? keyless(address) : missingKey(origin.keyVariable);
  checkKeyHost(apiKey, address, env);
  // The pool of the model that it replaces does not apply to a key of its own.
  const { pool: _pool, baseUrl: _baseUrl, ...own } = spec;
  return { ...own, apiKey, ...rootOf(spec.type, { ...spec, baseUrl }) };
}

function keyless(address: string): TroupeError {
  const { host } = new URL(address);
  return new TroupeError(
    'model_key_missing',
    `${host} has no key: give the endpoint an apiKey, or createSupervisor credentials for its baseUrl; keys of other hosts are not sent there`,
    { detail: { host } },
  );
}

/** What outcomes and events call the model of a specification. */
export function modelId(spec: ModelSpec): string {
  return spec.type === 'offline' ? 'offline' : `${spec.type}:${spec.model}`;
}

/** What outcomes and events call a model. */
export function idOfRoute(route: ModelRoute): string {
  return route.route === 'host' ? route.model.id : modelId(route.spec);
}

/** The settings that the API of a model refuses. */
export function refusedSettings(route: ModelRoute): readonly SettingName[] {
  if (route.route === 'host') return route.model.refusedSettings ?? [];
  const { spec } = route;
  if (spec.type === 'offline') return [];
  return rootOf(spec.type, spec).apiMode === 'anthropic_messages'
    ? refusedByAnthropic(spec.apiVersion)
    : [];
}

/** Builds the model of a specification that has its credentials. */
export function createModel(spec: ModelSpec): Model {
  if (spec.type === 'offline') return offline();
  const { type, model, apiKey = '', baseUrl, apiVersion } = spec;
  const { apiMode } = rootOf(type, spec);
  const common = {
    id: modelId(spec),
    model,
    apiKey,
    // The rate-limited client is the one layer that retries (models/retry.ts).
    maxRetries: 0,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
  return apiMode === 'anthropic_messages'
    ? anthropic(apiVersion === undefined ? common : { ...common, apiVersion })
    : openai({ ...common, mode: apiMode });
}
