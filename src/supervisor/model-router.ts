// Owns where models run: objects on the host, specifications in the gateway's thread; and each activation's way to its own.
import { randomUUID } from 'node:crypto';
import type { Address } from '../actor/address.ts';
import type { Clock } from '../base/clock.ts';
import { describe, TroupeError, toFailure } from '../base/failures.ts';
import { omitUndefined } from '../base/omit-undefined.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import { BudgetLedger } from '../models/budget/budget-ledger.ts';
import { BudgetServer } from '../models/budget/budget-server.ts';
import { type Metered, MeterReader, newMeter } from '../models/budget/meter.ts';
import type { PriceLookup } from '../models/budget/model-price.ts';
import { Gateway } from '../models/gateway/gateway.ts';
import type { Model } from '../models/model.ts';
import { ClientNotices } from '../models/providers/client-notices.ts';
import type { Budget } from '../protocol/budget.ts';
import type { KeyPool } from '../protocol/key-pool.ts';
import type { ModelBinding } from '../protocol/model-binding.ts';
import type { GatewayModel } from '../protocol/model-spec.ts';
import type { AgentSpec } from '../tasks/resolve/agent-resolver.ts';
import { GatewayThread } from '../threads/gateway-thread.ts';
import type { ModelConnection } from '../threads/model-connection.ts';

export type ModelRouterOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  /** Limits that the gateways keep: per agent and per tree. */
  readonly budget: Budget;
  readonly credentials: readonly KeyPool[];
  /** Calls under one key before its provider has answered one. */
  readonly initialModelCalls: number;
  /** Prices of models that run on the host. */
  readonly lookUp: PriceLookup;
  /** What events say of an agent that asks. */
  readonly subjectOf: (agentId: string) => EventSubject;
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
  readonly #clocked = new WeakSet<Model>();
  /** Trees differ in their budgets alone: without one it is all the same which tree a call is counted under. */
  readonly #isCounted: boolean;
  /** Counts the gateway threads there were: a slot's port belongs to one of them. */
  #generation = 1;
  #traffic = 0;

  constructor(options: ModelRouterOptions) {
    this.#options = options;
    const { clock, events, budget, lookUp, subjectOf } = options;
    this.#isCounted = budget.agent !== undefined || budget.tree !== undefined;
    this.#ledger = new BudgetLedger(({ agentId, ...warning }) =>
      events.emit('budget_warning', subjectOf(agentId), warning),
    );
    this.#host = new Gateway({ clock, ledger: this.#ledger, lookUp });
    const server = new BudgetServer(this.#ledger, (command) => this.#thread.command(command));
    const { credentials: pools, initialModelCalls: initialCalls, workerUrl } = options;
    this.#thread = new GatewayThread({
      clock,
      workerUrl,
      greeting: [{ type: 'providers', pools, initialCalls }],
      onEvent: (event) => {
        if (event.type !== 'rotated') return server.receive(event);
        const { agent, ...rotation } = event.rotation;
        events.emit('credential_rotated', { agentId: agent.id, path: agent.path }, rotation);
      },
      onLost: (failure) => {
        this.#generation += 1;
        server.loseAll();
        const message = 'the model gateway was lost';
        events.emit('log', {}, { level: 'error', message, failure });
      },
      onPrinted: new ClientNotices((text) => {
        const message = `the client of the model says: ${text}`;
        events.emit('log', {}, { level: 'warn', message });
      }).printed,
    });
  }

  /** Lets an activation ask its model. */
  open({ id, path }: Address, spec: AgentSpec, tree: string): OpenModel {
    const { name, model, head, settings, price, maxOutputTokens } = spec;
    const meter = newMeter(model.route === 'gateway');
    const reader = new MeterReader(meter);
    const budget = this.#isCounted ? this.#options.budget : undefined;
    const binding: ModelBinding = {
      token: randomUUID(),
      agent: { id, name, path },
      head,
      settings,
      price,
      meter,
      tree,
      ...omitUndefined({ maxOutputTokens, budget }),
    };
    const way =
      model.route === 'host'
        ? this.#openOnHost(binding, model.model)
        : this.#openInThread(binding, model);
    return { ...way, spent: () => reader.take() };
  }

  #openOnHost(binding: ModelBinding, model: Model): Omit<OpenModel, 'spent'> {
    const { token } = binding;
    this.#giveClock(model);
    this.#host.bind({ ...binding, model });
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
      openTree: (tree) => {
        if (this.#isCounted) this.#host.bind({ ...binding, tree, model });
        return null;
      },
      end: () => this.#host.unbind(token),
    };
  }

  /** Once to each model. Throws `model_failed` when it refuses; the next activation tries again. */
  #giveClock(model: Model): void {
    if (this.#clocked.has(model)) return;
    try {
      model.useClock?.(this.#options.clock);
    } catch (thrown) {
      const { message: why } = toFailure(thrown);
      const message = `useClock of the model ${describe(model.id)} threw: ${why}`;
      throw new TroupeError('model_failed', message, { cause: thrown });
    }
    this.#clocked.add(model);
  }

  #openInThread(binding: ModelBinding, { spec, isOfTask }: GatewayModel): Omit<OpenModel, 'spent'> {
    const { token } = binding;
    const bound = { ...binding, spec, ...omitUndefined({ isOfTask }) };
    this.#thread.bind(bound);
    return {
      connection: {
        route: 'gateway',
        token,
        generation: this.#generation,
        connect: (onViolated) => this.#thread.connect(onViolated),
      },
      openTree: (tree) => (this.#isCounted ? this.#thread.rebind({ ...bound, tree }) : null),
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
