// Owns where the models of a supervisor's agents run and under whose keys. Keeps no choice that came with a task. Builds no model.
import type { ModelRef } from '../../agent/definition.ts';
import { isKeyOf, type ModelEnv } from '../../models/endpoint.ts';
import { type CredentialPool, withPool } from '../../models/keys/credentials.ts';
import { type ModelRoute, resolveModel, withCredentials } from '../../models/resolve.ts';
import type { ModelSpec } from '../../protocol/model-spec.ts';

type PersistentChoices = {
  readonly model: ModelRef;
  readonly agents: readonly { readonly model?: ModelRef }[];
  readonly credentials?: readonly CredentialPool[];
  readonly env: ModelEnv;
};

export class ModelRoutes {
  readonly #credentials: readonly CredentialPool[];
  readonly #env: ModelEnv;
  /** One object of the program is one model, in every place that names it. */
  readonly #ofObjects = new WeakMap<object, ModelRoute>();
  /** Of the supervisor's own choices. */
  readonly #persistentKeys = new Set<string>();

  /** For a definition that names no model. */
  readonly main: ModelRoute;

  /** Those of the supervisor's own choices. */
  readonly declared: readonly ModelRoute[];

  /** Resolves the choices of the supervisor's own options. Throws as `of`. */
  constructor({ model, agents, credentials = [], env }: PersistentChoices) {
    this.#credentials = credentials;
    this.#env = env;
    this.main = this.#declare(model);
    const own = agents.flatMap((agent) =>
      agent.model === undefined ? [] : [this.#declare(agent.model, this.main)],
    );
    this.declared = [this.main, ...own];
  }

  /** The key of such a choice is kept as long as the supervisor runs. */
  #declare(choice: ModelRef, standsFor?: ModelRoute): ModelRoute {
    const route = this.of(choice, standsFor);
    if (route.route === 'host' || route.spec.type === 'offline') return route;
    if (route.spec.apiKey !== undefined) this.#persistentKeys.add(route.spec.apiKey);
    return { route: 'gateway', spec: route.spec };
  }

  /**
   * What an endpoint leaves out is that of `standsFor`. Throws `model_unknown`, `model_key_missing`,
   * `model_key_wrong_host`, before anything starts.
   */
  of(choice: ModelRef, standsFor?: ModelRoute): ModelRoute {
    const known = typeof choice === 'object' ? this.#ofObjects.get(choice) : undefined;
    if (known !== undefined) return known;
    const route = resolveModel(choice, standsFor);
    if (route.route === 'host') {
      if (typeof choice === 'object') this.#ofObjects.set(choice, route);
      return route;
    }
    const spec = this.#keyed(route.spec);
    return this.#isOfTask(spec)
      ? { route: 'gateway', spec, isOfTask: true }
      : { route: 'gateway', spec };
  }

  #isOfTask(spec: ModelSpec): boolean {
    if (spec.type === 'offline' || spec.apiKey === undefined) return false;
    return !this.#persistentKeys.has(spec.apiKey) && !isKeyOf(spec.apiKey, this.#env);
  }

  /** With the address of its pool, whose keys the gateway has; else with the environment's key. */
  #keyed(spec: ModelSpec): ModelSpec {
    const pooled = spec.type === 'offline' ? null : withPool(spec, this.#credentials);
    return pooled ?? withCredentials(spec, this.#env);
  }
}
