// Owns the configuration of `delegate_task` in the words of Hermes: its group `delegation`, as the tool and the supervisor take it.
import { z } from 'zod';
import type { ModelRef } from '../../agent/definition.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { inOurNames, type SourceNames, secondsAsMs } from '../../base/source-names.ts';
import type { ModelEndpoint } from '../../models/endpoint.ts';
import { apiModes, providers } from '../../protocol/model-spec.ts';
import { type DelegateTaskOptions, nearestLimits } from './options.ts';

/** The source's names, and ours. */
export const delegationNames = {
  max_concurrent_children: 'maxConcurrentChildren',
  max_spawn_depth: 'maxSpawnDepth',
  max_iterations: 'maxIterations',
  child_timeout_seconds: { ours: 'childTimeoutMs', read: secondsAsMs },
  orchestrator_enabled: 'orchestratorEnabled',
  default_toolsets: 'toolsets',
  model: 'model',
  provider: 'provider',
  base_url: 'baseUrl',
  api_key: 'apiKey',
  api_mode: 'apiMode',
} as const satisfies SourceNames;

/** What a configuration comes to. */
export type DelegationConfig = {
  /** For `delegateTaskTool`. */
  readonly options: DelegateTaskOptions;
  /** For the `limits` of the supervisor, which bound every tool. */
  readonly limits: { readonly maxConcurrentChildren?: number; readonly maxSpawnDepth?: number };
};

const text = z.string().min(1).optional();

const schema = z.strictObject({
  maxConcurrentChildren: z.number().int().optional(),
  maxSpawnDepth: z.number().int().optional(),
  maxIterations: z.number().int().min(1).optional(),
  childTimeoutMs: z.number().positive().optional(),
  orchestratorEnabled: z.boolean().optional(),
  toolsets: z.array(z.string().min(1)).optional(),
  model: text,
  provider: text,
  baseUrl: text,
  apiKey: text,
  apiMode: z.enum(apiModes).optional(),
});

/**
 * The group `delegation` of a configuration of Hermes, or a whole configuration that has it. `base_url` wins over `provider`; a
 * provider without one has to be `anthropic` or `openai`. Throws `invalid_options` naming what is wrong.
 */
export function delegationConfig(config: Readonly<Record<string, unknown>>): DelegationConfig {
  const group = isRecord(config) && isRecord(config['delegation']) ? config['delegation'] : config;
  const what = 'delegation';
  const { model, provider, baseUrl, apiKey, apiMode, ...options } = parseOptions(
    schema,
    setOnly(inOurNames(group, delegationNames, what)),
    what,
  );
  const chosen = modelOf({ model, provider, baseUrl, apiKey, apiMode });
  return {
    options: { ...omitUndefined(options), ...(chosen === null ? {} : { model: chosen }) },
    limits: omitUndefined(nearestLimits(options)),
  };
}

/** The source writes an empty text for what is not set. */
function setOnly(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

type ModelWords = Pick<
  z.output<typeof schema>,
  'model' | 'provider' | 'baseUrl' | 'apiKey' | 'apiMode'
>;

/** Null for the caller's model. What an endpoint leaves out is that of the caller's model. */
function modelOf({ provider, ...words }: ModelWords): ModelRef | null {
  const { model, baseUrl } = words;
  const endpoint = omitUndefined(words) as ModelEndpoint;
  if (baseUrl !== undefined) return endpoint;
  const known = providers.find((each) => each === provider);
  if (provider !== undefined && known === undefined) {
    const why = `expected ${providers.join(' or ')}, or a base_url with an api_key`;
    throw new TroupeError(
      'invalid_options',
      `delegation: provider is ${describe(provider)}: ${why}`,
      { detail: { field: 'provider' } },
    );
  }
  if (known !== undefined) return { ...endpoint, provider: known };
  if (Object.keys(endpoint).length === 0) return null;
  const isWhole = Object.keys(endpoint).length === 1 && model !== undefined;
  return isWhole && /^(offline$|anthropic:|openai:)/.test(model) ? model : endpoint;
}
