// Owns where models run: objects on the host, specifications in the gateway's thread; and each activation's way to its own.
import type { Address } from '../actor/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Failure } from '../base/failures.ts';
import { BudgetLedger, type BudgetWarning } from '../models/budget/budget-ledger.ts';
import { BudgetServer } from '../models/budget/budget-server.ts';
import { type Metered, MeterReader, newMeter } from '../models/budget/meter.ts';
import type { PriceLookup } from '../models/budget/model-price.ts';
import { Gateway } from '../models/gateway/gateway.ts';
import type { Model } from '../models/model.ts';
import { ClientNotices } from '../models/providers/client-notices.ts';
import type { Budget } from '../protocol/budget.ts';
import type { KeyPool } from '../protocol/key-pool.ts';
import type { Rotation } from '../protocol/key-rotation.ts';
import type { AgentSpec } from '../tasks/resolve/agent-resolver.ts';
import { GatewayThread } from '../threads/gateway-thread.ts';
import type { ModelConnection } from '../threads/model-connection.ts';

export type ModelRouterOptions = {
  readonly clock: Clock;
  /** Limits that the gateways keep: per agent and per tree. */
  readonly budget: Budget;
  readonly credentials: readonly KeyPool[];
  /** Calls under one key before its provider has answered one. */
  readonly initialModelCalls: number;
  /** Prices of models that run on the host. */
  readonly lookUp: PriceLookup;
  readonly nextToken: () => string;
  readonly onBudgetWarning: (warning: BudgetWarning) => void;
  readonly onRotated: (rotation: Rotation) => void;
  readonly onGatewayLost: (failure: Failure) => void;
  /** Receives a notice of a provider's package, such as that a model is deprecated; each one once. */
  readonly onClientNotice: (text: string) => void;
  /** The thread entry of a service that is bundled. */
  readonly workerUrl?: URL | undefined;
};

/** One activation's way to its model. */
export type OpenModel = {
  readonly connection: ModelConnection;
  /** Counts its calls under another tree from now on; null when that takes effect at once. */
  openTree(tree: string): Promise<void> | null;
  /** What its calls took since this was asked last, as the gateway counted it; null for nothing. */
  spent(): Metered | null;
  /** The activation is over. */
  end(): void;
};

export class ModelRouter {
  readonly #options: ModelRouterOptions;
  readonly #host: Gateway;
  readonly #thread: GatewayThread;
  /** The one of all gateways: a tree may mix models of the host and of the thread. It outlives the thread. */
  readonly #ledger: BudgetLedger;
  readonly #router: BudgetServer;
  readonly #clocked = new WeakSet<Model>();
  /** Counts the gateway threads there were: a slot's port belongs to one of them. */
  #generation = 1;
  #traffic = 0;

  constructor(options: ModelRouterOptions) {
    this.#options = options;
    this.#ledger = new BudgetLedger(options.onBudgetWarning);
    this.#host = new Gateway({
      clock: options.clock,
      ledger: this.#ledger,
      lookUp: options.lookUp,
    });
    this.#router = new BudgetServer(this.#ledger, (command) => this.#thread.command(command));
    this.#thread = new GatewayThread({
      clock: options.clock,
      workerUrl: options.workerUrl,
      greeting: [
        {
          type: 'providers',
          pools: options.credentials,
          initialCalls: options.initialModelCalls,
        },
      ],
      onEvent: (event) => {
        if (event.type === 'rotated') options.onRotated(event.rotation);
        else this.#router.receive(event);
      },
      onLost: (failure) => {
        this.#generation += 1;
        this.#router.loseAll();
        options.onGatewayLost(failure);
      },
      onPrinted: new ClientNotices(options.onClientNotice).printed,
    });
  }

  /** Lets an activation ask its model. */
  open(address: Address, agentSpec: AgentSpec, tree: string): OpenModel {
    const token = this.#options.nextToken();
    const { budget } = this.#options;
    // Trees differ in their budgets alone.
    const isCounted = budget.agent !== undefined || budget.tree !== undefined;
    const meter = newMeter(agentSpec.model.route === 'gateway');
    const reader = new MeterReader(meter);
    const spent = (): Metered | null => reader.take();
    const common = {
      token,
      agent: { id: address.id, name: agentSpec.name, path: address.path },
      head: agentSpec.head,
      settings: agentSpec.settings,
      price: agentSpec.price,
      meter,
      ...(agentSpec.maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: agentSpec.maxOutputTokens }),
      tree,
      ...(isCounted ? { budget } : {}),
    };
    if (agentSpec.model.route === 'host') {
      const { model } = agentSpec.model;
      if (!this.#clocked.has(model)) {
        this.#clocked.add(model);
        model.useClock?.(this.#options.clock);
      }
      this.#host.bind({ ...common, model });
      return {
        connection: {
          route: 'host',
          token,
          send: (message, reply, isGivenUp) => {
            this.#traffic += 1;
            return this.#host.handle(message, reply, isGivenUp);
          },
          abort: () => this.#host.abort(token),
        },
        openTree: (next) => {
          if (isCounted) this.#host.bind({ ...common, tree: next, model });
          return null;
        },
        spent,
        end: () => this.#host.unbind(token),
      };
    }
    const { route: _route, ...spec } = agentSpec.model;
    this.#thread.bind({ ...common, ...spec });
    return {
      connection: {
        route: 'gateway',
        token,
        generation: this.#generation,
        connect: (onViolated) => this.#thread.connect(onViolated),
      },
      openTree: (next) =>
        isCounted ? this.#thread.rebind({ ...common, tree: next, ...spec }) : null,
      spent,
      end: () => this.#thread.unbind(token),
    };
  }

  endTree(tree: string): void {
    this.#ledger.forget(tree);
  }

  /** Changes with whatever models are asked and answer. */
  get traffic(): number {
    return this.#traffic + this.#thread.traffic;
  }

  /** Resolves when the gateway's thread has run every timer that fired. */
  acknowledged(): Promise<void> {
    return this.#thread.acknowledged();
  }

  async close(): Promise<void> {
    this.#host.close();
    await this.#thread.close();
  }
}
