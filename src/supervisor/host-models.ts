// Owns the models that are asked on the host: objects of the program, and providers' models of a list that has such an object.
import type { Clock } from '../base/clock.ts';
import { describe, TroupeError, toFailure } from '../base/failures.ts';
import type { BoundModel } from '../models/gateway/binding.ts';
import { type HostModel, hostModel } from '../models/keys/host-model.ts';
import type { OutageListeners } from '../models/keys/key-rotation.ts';
import {
  type ClientLifetime,
  ProviderClients,
  type ProviderSettings,
} from '../models/keys/provider-clients.ts';
import type { Model } from '../models/model.ts';
import type { Rotation } from '../protocol/key-rotation.ts';
import type { GatewayModel } from '../protocol/model-spec.ts';
import type { PricedRoute, PricedRoutes } from '../tasks/resolve/agent-spec.ts';

export type HostModelsOptions = OutageListeners & {
  readonly clock: Clock;
  readonly random: () => number;
  readonly providers: ProviderSettings;
  readonly onRotated: (rotation: Rotation) => void;
};

/** The models of one conversation, in their order. */
export type OpenedModels = {
  readonly models: readonly [BoundModel, ...BoundModel[]];
  release(): void;
};

export class HostModels {
  readonly #options: HostModelsOptions;
  readonly #ofObjects = new WeakMap<Model, HostModel>();
  #clients: ProviderClients | null = null;

  constructor(options: HostModelsOptions) {
    this.#options = options;
  }

  /** Throws `model_failed` when an object refuses its clock; the next activation tries again. */
  open([first, ...others]: PricedRoutes, conversation: string, agentId: string): OpenedModels {
    const routes = [first, ...others];
    // What may throw comes before what has to be released.
    for (const { route } of routes) if (route.route === 'host') this.#ofObject(route.model);
    const tokenAt = (at: number): string => `${conversation} ${at}`;
    const opened = ({ route, price }: PricedRoute, at: number): BoundModel => {
      if (route.route === 'host') return { model: this.#ofObject(route.model).model, price };
      return { model: this.#modelOf(route, { token: tokenAt(at), agentId }), price };
    };
    return {
      models: [opened(first, 0), ...others.map((each, at) => opened(each, at + 1))],
      release: () => {
        for (const [at, { route }] of routes.entries()) {
          if (route.route === 'host') this.#ofObject(route.model).release(agentId);
          else this.#clients?.end(tokenAt(at));
        }
      },
    };
  }

  /** One for all agents that ask the same object. */
  #ofObject(own: Model): HostModel {
    const known = this.#ofObjects.get(own);
    if (known !== undefined) return known;
    const { clock, providers, ...options } = this.#options;
    try {
      own.useClock?.(clock);
    } catch (thrown) {
      const { message: why } = toFailure(thrown);
      const message = `useClock of the model ${describe(own.id)} threw: ${why}`;
      throw new TroupeError('model_failed', message, { cause: thrown });
    }
    const made = hostModel(own, { ...options, clock, policy: providers.retry });
    this.#ofObjects.set(own, made);
    return made;
  }

  #modelOf(model: GatewayModel, lifetime: ClientLifetime): Model {
    this.#clients ??= this.#newClients();
    return this.#clients.modelsFor([model], lifetime)[0];
  }

  #newClients(): ProviderClients {
    const clients = new ProviderClients(this.#options);
    clients.use(this.#options.providers);
    return clients;
  }
}
