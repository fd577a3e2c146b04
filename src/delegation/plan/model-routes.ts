// Owns where the models of a supervisor's agents run and under whose keys, each choice settled once. Builds no model.
import type { ModelChoice } from '../../agent/definition.ts';
import { type CredentialPool, withPool } from '../../models/credentials.ts';
import type { ModelEnv } from '../../models/endpoint.ts';
import {
  isEndpoint,
  type ModelRoute,
  type ModelSpec,
  resolveModel,
  withCredentials,
} from '../../models/resolve.ts';

export class ModelRoutes {
  readonly #credentials: readonly CredentialPool[];
  readonly #env: ModelEnv;
  readonly #known = new Map<ModelChoice, ModelRoute>();

  constructor(credentials: readonly CredentialPool[], env: ModelEnv) {
    this.#credentials = credentials;
    this.#env = env;
  }

  /**
   * What an endpoint leaves out is that of `standsFor`. Throws `model_unknown`, `model_key_missing`,
   * `model_key_wrong_host`, before anything starts.
   */
  of(choice: ModelChoice, standsFor?: ModelRoute): ModelRoute {
    const known = this.#known.get(choice);
    if (known !== undefined) return known;
    const route = resolveModel(choice, standsFor);
    const ready: ModelRoute =
      route.route === 'host' ? route : { route: 'gateway', spec: this.#keyed(route.spec) };
    if (!isEndpoint(choice) || isWhole(choice)) this.#known.set(choice, ready);
    return ready;
  }

  /** With the address of its pool, whose keys the gateway has; else with the environment's key. */
  #keyed(spec: ModelSpec): ModelSpec {
    const pooled = spec.type === 'offline' ? null : withPool(spec, this.#credentials);
    return pooled ?? withCredentials(spec, this.#env);
  }
}

/** True for an endpoint that is the same whoever's model it stands in for. */
function isWhole({
  model,
  baseUrl,
  apiKey,
}: {
  model?: string;
  baseUrl?: string;
  apiKey?: string;
}) {
  return model !== undefined && baseUrl !== undefined && apiKey !== undefined;
}
