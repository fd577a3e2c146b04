// Owns where models run: objects on the host, specifications in the gateway's thread; and each activation's way to its own.
import { randomUUID } from 'node:crypto';
import type { Address } from '../actor/address.ts';
import type { Clock } from '../base/clock.ts';
import { copyData } from '../base/copy-data.ts';
import { describe, TroupeError, toFailure } from '../base/failures.ts';
import { omitUndefined } from '../base/omit-undefined.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import { BudgetLedger } from '../models/budget/budget-ledger.ts';
import { BudgetServer } from '../models/budget/budget-server.ts';
import { MeterReader, newMeter } from '../models/budget/meter.ts';
import type { PriceLookup } from '../models/budget/model-price.ts';
import { Gateway } from '../models/gateway/gateway.ts';
import { type HostModel, hostModel } from '../models/keys/host-model.ts';
import type { Model } from '../models/model.ts';
import { ClientNotices } from '../models/providers/client-notices.ts';
import type { Budget, BudgetAccount } from '../protocol/budget.ts';
import type { KeyPool } from '../protocol/key-pool.ts';
import type { ModelBinding, SpecBinding } from '../protocol/model-binding.ts';
import type { StreamedDelta } from '../protocol/model-messages.ts';
import type { GatewayModel } from '../protocol/model-spec.ts';
import type { RetryPolicy } from '../protocol/retry-policy.ts';
import type { JobBudget } from '../tasks/fan-out.ts';
import type { AgentSpec } from '../tasks/resolve/agent-spec.ts';
import { GatewayThread } from '../threads/gateway-thread.ts';
import { AgentModel, type ModelRoute, type SupervisorAnswers } from './agent-model.ts';
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
  readonly #hostModels = new WeakMap<Model, HostModel>();
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
    this.#ledger = new BudgetLedger(({ agentId, ...warning }) =>
      events.emit('budget_warning', subjectOf(agentId), warning),
    );
    this.#streamed = new StreamedAnswers((conversation, delta) =>
      this.#answers.get(conversation)?.receive(delta),
    );
    this.#host = new Gateway({
      clock,
      ledger: this.#ledger,
      lookUp,
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
    this.#thread = new GatewayThread({
      clock,
      workerUrl,
      greeting: [{ type: 'providers', pools, initialCalls, retry }],
      onEvent: (event) => {
        if (event.type === 'outage') return this.#report(event.message);
        if (event.type === 'outage_wait')
          return this.#waitsInThread.report(event.agentId, event.isWaiting);
        if (event.type !== 'rotated') return server.receive(event);
        const { agent, ...rotation } = event.rotation;
        events.emit('credential_rotated', { agentId: agent.id, path: agent.path }, rotation);
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
    const { name, model, head, settings, price, maxOutputTokens } = spec;
    const meter = newMeter(model.route === 'gateway');
    const binding: ModelBinding = {
      token: randomUUID(),
      conversation: randomUUID(),
      agent: { id, name, path },
      head,
      settings,
      price,
      meter,
      accounts,
      ...omitUndefined({ maxOutputTokens }),
    };
    const route = model.route === 'host' ? this.#onHost(model.model) : this.#inThread(model);
    return new AgentModel({
      binding,
      route,
      reader: new MeterReader(meter),
      answers: this.#answers,
      onDelta: (delta) => this.#options.onDelta(id, delta),
    });
  }

  #onHost(own: Model): ModelRoute {
    const { model, release } = this.#hostModelOf(own);
    const gateway = this.#host;
    return {
      connect: (binding) => {
        const { token } = binding;
        gateway.bind({ ...binding, model });
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
        gateway.bind({ ...binding, model });
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
      end: ({ token, agent }) => {
        gateway.unbind(token);
        release(agent.id);
      },
    };
  }

  /** One for all agents that ask the same object. Throws `model_failed` when it refuses its clock; the next activation tries again. */
  #hostModelOf(own: Model): HostModel {
    const known = this.#hostModels.get(own);
    if (known !== undefined) return known;
    const { clock, random, retry: policy, onOutageWait } = this.#options;
    try {
      own.useClock?.(clock);
    } catch (thrown) {
      const { message: why } = toFailure(thrown);
      const message = `useClock of the model ${describe(own.id)} threw: ${why}`;
      throw new TroupeError('model_failed', message, { cause: thrown });
    }
    const made = hostModel(own, {
      clock,
      random,
      policy,
      onOutageWait,
      onOutage: (message) => this.#report(message),
    });
    this.#hostModels.set(own, made);
    return made;
  }

  #report(message: string): void {
    this.#options.events.emit('log', {}, { level: 'warn', message });
  }

  #inThread({ spec, isOfTask }: GatewayModel): ModelRoute {
    const thread = this.#thread;
    const bound = (binding: ModelBinding): SpecBinding => ({
      ...binding,
      spec,
      ...omitUndefined({ isOfTask }),
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
