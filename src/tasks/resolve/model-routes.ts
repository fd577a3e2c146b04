// Owns where the models of a supervisor's agents run and under whose keys. Keeps no choice that came with a task. Builds no model.
import type { ModelRef, SingleModelRef } from '../../agent/definition.ts';
import { TroupeError, toFailure } from '../../base/failures.ts';
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

export type Routes = readonly [ModelRoute, ...ModelRoute[]];

export class ModelRoutes {
  readonly #credentials: readonly CredentialPool[];
  readonly #env: ModelEnv;
  /** One object of the program is one model, in every place that names it. */
  readonly #ofObjects = new WeakMap<object, ModelRoute>();
  /** Of the supervisor's own choices. */
  readonly #persistentKeys = new Set<string>();

  /** For a definition that names no model. */
  readonly main: Routes;

  /** Those of the supervisor's own choices. */
  readonly declared: readonly ModelRoute[];

  /** Resolves the choices of the supervisor's own options. Throws as `of`. */
  constructor({ model, agents, credentials = [], env }: PersistentChoices) {
    this.#credentials = credentials;
    this.#env = env;
    this.main = this.#declare(model);
    const [main] = this.main;
    const own = agents.flatMap((agent) =>
      agent.model === undefined ? [] : this.#declare(agent.model, main),
    );
    this.declared = [...this.main, ...own];
  }

  #declare(choices: ModelRef, standsFor?: ModelRoute): Routes {
    return each(choices, (choice) => this.#declareOne(choice, standsFor));
  }

  /** The key of such a choice is kept as long as the supervisor runs. */
  #declareOne(choice: SingleModelRef, standsFor?: ModelRoute): ModelRoute {
    const route = this.#routeOf(choice, standsFor);
    if (route.route === 'host' || route.spec.type === 'offline') return route;
    if (route.spec.apiKey !== undefined) this.#persistentKeys.add(route.spec.apiKey);
    return { route: 'gateway', spec: route.spec };
  }

  /**
   * What an endpoint leaves out is that of `standsFor`. Throws `model_unknown`, `model_key_missing`,
   * `model_key_wrong_host`, before anything starts.
   */
  of(choices: ModelRef, standsFor?: ModelRoute): Routes {
    return each(choices, (choice) => this.#routeOf(choice, standsFor));
  }

  #routeOf(choice: SingleModelRef, standsFor?: ModelRoute): ModelRoute {
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

/** The route of each model; of a list, an error names the place of the model that is wrong. */
function each(choices: ModelRef, routeOf: (choice: SingleModelRef) => ModelRoute): Routes {
  if (!isList(choices)) return [routeOf(choices)];
  const routes = choices.map((choice, at) => {
    try {
      return routeOf(choice);
    } catch (thrown) {
      const { code, message, detail } = toFailure(thrown, 'model_unknown');
      const options = { cause: thrown, ...(detail === undefined ? {} : { detail }) };
      throw new TroupeError(code, `model.${at}: ${message}`, options);
    }
  });
  const [first, ...others] = routes;
  if (first === undefined) throw new TroupeError('invalid_options', 'model: an empty list');
  return [first, ...others];
}

function isList(choices: ModelRef): choices is readonly SingleModelRef[] {
  return Array.isArray(choices);
}
