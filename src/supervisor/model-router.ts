// Owns where models run: objects on the host, specifications in the gateway's thread; and each activation's way to its own.
import { randomUUID } from 'node:crypto';
import type { Address } from '../actor/address.ts';
import type { Clock } from '../base/clock.ts';
import { copyData } from '../base/copy-data.ts';
import { omitUndefined } from '../base/omit-undefined.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import { BudgetLedger } from '../models/budget/budget-ledger.ts';
import { BudgetServer } from '../models/budget/budget-server.ts';
import { MeterReader, newMeter } from '../models/budget/meter.ts';
import type { PriceLookup } from '../models/budget/model-price.ts';
import { Gateway } from '../models/gateway/gateway.ts';
import { ClientNotices } from '../models/providers/client-notices.ts';
import type { Budget, BudgetAccount, Spend } from '../protocol/budget.ts';
import type { KeyPool } from '../protocol/key-pool.ts';
import type { Rotation } from '../protocol/key-rotation.ts';
import type { ModelBinding, PricedModel, SpecBinding } from '../protocol/model-binding.ts';
import type { StreamedDelta } from '../protocol/model-messages.ts';
import type { RetryPolicy } from '../protocol/retry-policy.ts';
import type { JobBudget } from '../tasks/fan-out.ts';
import type { AgentSpec, PricedRoutes } from '../tasks/resolve/agent-spec.ts';
import { GatewayThread } from '../threads/gateway-thread.ts';
import { AgentModel, type ModelRoute, type SupervisorAnswers } from './agent-model.ts';
import { FallbackReports } from './fallback-reports.ts';
import { HostModels } from './host-models.ts';
import { OutageWaits } from './outage-waits.ts';
import { StreamedAnswers } from './streamed-answers.ts';

export type ModelRouterOptions = {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly credentials: readonly KeyPool[];
  /** Calls under one key before its provider has answered one. */
  readonly initialModelCalls: number;
  readonly retry: RetryPolicy;
  readonly random: () => number;
  /** Prices of models that run on the host. */
  readonly lookUp: PriceLookup;
  /** What events say of an agent that asks. */
  readonly subjectOf: (agentId: string) => EventSubject;
  /** A piece of the answer that an agent waits for. */
  readonly onDelta: (agentId: string, delta: StreamedDelta) => void;
  /** A model call of an agent may take so much from now on. */
  readonly onReserved: (agentId: string, bound: Spend) => void;
  /** The call of an agent begins to wait for a provider that is down, or ends that. */
  readonly onOutageWait: (agentId: string, isWaiting: boolean) => void;
  /** The thread entry of a service that is bundled. */
  readonly workerUrl?: URL | undefined;
};

export class ModelRouter {
  readonly #options: ModelRouterOptions;
  readonly #host: Gateway;
  readonly #thread: GatewayThread;
  /** The one of all gateways: a tree may mix models of the host and of the thread. It outlives the thread. */
  readonly #ledger: BudgetLedger;
  readonly #hostModels: HostModels;
  /** Agents whose calls wait in the thread for a provider that is down. */
  readonly #waitsInThread: OutageWaits;
  /** Counts the gateway threads there were: a slot's port belongs to one of them. */
  #generation = 1;
  /** Of each conversation, where what comes to the supervisor goes. */
  readonly #answers = new Map<string, SupervisorAnswers>();
  /** Of the gateway on the host. */
  readonly #streamed: StreamedAnswers;
  #traffic = 0;

  constructor(options: ModelRouterOptions) {
    this.#options = options;
    const { clock, events, lookUp, subjectOf } = options;
    this.#waitsInThread = new OutageWaits(options.onOutageWait);
    this.#ledger = new BudgetLedger({
      onWarning: ({ agentId, ...warning }) =>
        events.emit('budget_warning', subjectOf(agentId), warning),
      onReserved: options.onReserved,
    });
    this.#streamed = new StreamedAnswers((conversation, delta) =>
      this.#answers.get(conversation)?.receive(delta),
    );
    const fallbacks = new FallbackReports(events, subjectOf);
    this.#host = new Gateway({
      clock,
      ledger: this.#ledger,
      lookUp,
      onFallback: (fallback) => fallbacks.report(fallback),
      toSupervisor: (conversation, message) => {
        if (message.type === 'model_delta') {
          this.#streamed.add(conversation, message);
          return;
        }
        this.#streamed.readOf(conversation);
        // A copy, as every other message of a model is: its code may keep what it answered, and change it.
        this.#answers.get(conversation)?.receive(copyData(message));
      },
    });
    const server = new BudgetServer(this.#ledger, (command) => this.#thread.command(command));
    const { credentials: pools, initialModelCalls: initialCalls, retry, workerUrl } = options;
    const providers = { pools, initialCalls, retry };
    this.#hostModels = new HostModels({
      clock,
      random: options.random,
      providers,
      onOutageWait: options.onOutageWait,
      onOutage: (message) => this.#report(message),
      onRotated: (rotation) => this.#rotated(rotation),
    });
    this.#thread = new GatewayThread({
      clock,
      workerUrl,
      greeting: [{ type: 'providers', ...providers }],
      onEvent: (event) => {
        switch (event.type) {
          case 'outage':
            return this.#report(event.message);
          case 'outage_wait':
            return this.#waitsInThread.report(event.agentId, event.isWaiting);
          case 'rotated':
            return this.#rotated(event.rotation);
          case 'fallback':
            return fallbacks.report(event.fallback);
          default:
            return server.receive(event);
        }
      },
      toSupervisor: (conversation, message) => this.#answers.get(conversation)?.receive(message),
      onLost: (failure) => {
        this.#generation += 1;
        server.loseAll();
        this.#waitsInThread.releaseAll();
        for (const answers of [...this.#answers.values()]) answers.lose(failure);
        const message = 'the model gateway was lost';
        events.emit('log', {}, { level: 'error', message, failure });
      },
      onPrinted: new ClientNotices((text) => {
        const message = `the client of the model says: ${text}`;
        events.emit('log', {}, { level: 'warn', message });
      }).printed,
    });
  }

  /** Lets the activations of an agent ask its model. */
  open({ id, path }: Address, spec: AgentSpec, accounts: readonly BudgetAccount[]): AgentModel {
    const { name, models, head, settings, maxOutputTokens } = spec;
    const ofThread = modelsOfThread(models);
    const meter = newMeter(ofThread !== null);
    const conversation = randomUUID();
    const binding: ModelBinding = {
      token: randomUUID(),
      conversation,
      agent: { id, name, path },
      head,
      settings,
      price: models[0].price,
      meter,
      accounts,
      ...omitUndefined({ maxOutputTokens }),
    };
    const route =
      ofThread === null ? this.#onHost(models, conversation, id) : this.#inThread(ofThread);
    return new AgentModel({
      binding,
      route,
      reader: new MeterReader(meter),
      answers: this.#answers,
      onDelta: (delta) => this.#options.onDelta(id, delta),
    });
  }

  #onHost(models: PricedRoutes, conversation: string, agentId: string): ModelRoute {
    const opened = this.#hostModels.open(models, conversation, agentId);
    const [{ model }, ...fallbacks] = opened.models;
    const list = fallbacks.length === 0 ? {} : { fallbacks };
    const gateway = this.#host;
    return {
      connect: (binding) => {
        const { token } = binding;
        gateway.bind({ ...binding, model, ...list });
        return {
          route: 'host',
          token,
          send: (message, reply, isGivenUp) => {
            this.#traffic += 1;
            return gateway.handle(message, reply, isGivenUp);
          },
          abort: () => gateway.abort(token),
        };
      },
      rebind: (binding) => {
        gateway.bind({ ...binding, model, ...list });
        return null;
      },
      ask: (conversation, message, answer) => {
        this.#traffic += 1;
        // Copies both ways: the model's code may keep what it was sent and what it answered, and change it.
        gateway.handle(copyData(message), (reply) => {
          this.#streamed.readOf(conversation);
          answer(copyData(reply));
        });
      },
      isLost: () => false,
      revoke: ({ token }) => gateway.revoke(token),
      abort: ({ token }) => gateway.abort(token),
      end: ({ token }) => {
        gateway.unbind(token);
        opened.release();
      },
    };
  }

  #rotated({ agent, ...rotation }: Rotation): void {
    const { events } = this.#options;
    events.emit('credential_rotated', { agentId: agent.id, path: agent.path }, rotation);
  }

  #report(message: string): void {
    this.#options.events.emit('log', {}, { level: 'warn', message });
  }

  #inThread([{ spec, isOfTask }, ...fallbacks]: ModelsOfThread): ModelRoute {
    const thread = this.#thread;
    const bound = (binding: ModelBinding): SpecBinding => ({
      ...binding,
      spec,
      ...omitUndefined({ isOfTask }),
      ...(fallbacks.length === 0 ? {} : { fallbacks }),
    });
    return {
      connect: (binding) => {
        thread.bind(bound(binding));
        return {
          route: 'gateway',
          token: binding.token,
          generation: this.#generation,
          connect: (onViolated) => thread.connect(onViolated),
        };
      },
      rebind: (binding) => thread.rebind(bound(binding)),
      ask: (conversation, message) => thread.request(conversation, message),
      isLost: (connection) =>
        connection.route === 'gateway' && connection.generation !== this.#generation,
      revoke: ({ token }) => thread.revoke(token),
      abort: ({ token }) => thread.abort(token),
      end: (binding) => thread.unbind(binding),
    };
  }

  /** A budget of several root tasks. What is spent of it is kept until it is closed and the last of them is over. */
  openJob(limits: Budget | undefined): JobBudget {
    if (limits === undefined) return { account: undefined, close: () => {} };
    const account: BudgetAccount = { id: `job-${randomUUID()}`, scope: 'job', limits };
    this.#ledger.keep(account.id);
    return { account, close: () => this.#ledger.release(account.id) };
  }

  /** What an earlier process has taken of these budgets counts. */
  carry(accounts: readonly BudgetAccount[], spent: Spend): void {
    this.#ledger.carry(accounts, spent);
  }

  endTree(tree: string): void {
    this.#ledger.forget(tree);
  }

  /** Changes with whatever models are asked and answer. */
  get traffic(): number {
    return this.#traffic + this.#thread.traffic;
  }

  /** Hands on what the gateways have sent by now. */
  readAnswers(): void {
    this.#streamed.read();
    this.#thread.readAnswers();
  }

  /** Resolves when the gateway's thread has run every timer that fired. */
  acknowledged(): Promise<void> {
    this.#streamed.read();
    return this.#thread.acknowledged();
  }

  async close(): Promise<void> {
    this.#host.close();
    await this.#thread.close();
  }
}

type ModelsOfThread = readonly [PricedModel, ...PricedModel[]];

/** Null when one of the models is an object of the program: a conversation has one gateway. */
function modelsOfThread(routes: PricedRoutes): ModelsOfThread | null {
  const models = routes.flatMap(({ route, price }) => {
    if (route.route === 'host') return [];
    const { spec, isOfTask } = route;
    return [{ spec, price, ...omitUndefined({ isOfTask }) }];
  });
  const [first, ...others] = models;
  return first === undefined || models.length < routes.length ? null : [first, ...others];
}
