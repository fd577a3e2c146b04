// Owns a thread while it is a slot: one activation after another on one port, each with its own services and model.
import type { MessagePort } from 'node:worker_threads';
import type { Behavior } from '../src/actor/behavior.ts';
import { agentBehavior } from '../src/agent/agent-behavior.ts';
import { type LoadedTools, loadToolsOf } from '../src/agent/loaded-tools.ts';
import { processTime, systemClock } from '../src/base/clock.ts';
import { nextTurn, requestsOver } from '../src/base/next-turn.ts';
import { toFault } from '../src/base/stack.ts';
import { GatewayClient } from '../src/models/gateway/gateway-client.ts';
import { callsOfRuns } from '../src/protocol/host-services.ts';
import type { FromGateway } from '../src/protocol/model-messages.ts';
import { sharedFlags } from '../src/protocol/shared-flags.ts';
import {
  alwaysNeeded,
  type ConversationPart,
  type FromThread,
  type GatewayPortMessage,
  type ToThread,
} from '../src/protocol/worker-messages.ts';
import type { WorkerSpec } from '../src/protocol/worker-spec.ts';
import { type Builtins, changedBuiltin, takeBuiltins } from './builtins.ts';
import { HostModelPort } from './host-model-port.ts';
import { HostPort } from './host-port.ts';
import { type Baseline, findLeaks, takeBaseline } from './leak-check.ts';
import { Leftovers } from './leftovers.ts';
import { type ImportModule, loadTarget } from './load-target.ts';
import { ModelChannel } from './model-channel.ts';
import { outboundFailure } from './outbound-checks.ts';
import { printed } from './printed.ts';
import { hostServiceCalls, RpcClient } from './rpc-client.ts';
import { StrayFaults } from './stray-faults.ts';
import type { ThreadPriority } from './thread-priority.ts';
import type { TypeScript } from './typescript.ts';
import { WorkerActivation } from './worker-activation.ts';

type Start = Extract<ToThread, { type: 'start' }>;

/** One activation and what belongs to it alone. */
type Occupancy = {
  readonly activation: WorkerActivation;
  readonly services: RpcClient;
  readonly model: ModelChannel;
  /** Where the host's own models answer, for an activation whose model runs there. */
  readonly hostPort: HostModelPort;
  /** The thread before its first activation. */
  readonly baseline: Baseline;
  /** Calls of tools that were given up and still run. */
  abandoned: number;
  /** Code of a tool or a hook has run. */
  hasRunCode: boolean;
};

export class WorkerMain {
  readonly #host: HostPort;
  readonly #sharedFlags: Int32Array;
  /** How many runs wait for a thread; shared by the threads of a pool. */
  readonly #needed: Int32Array;
  readonly #priority: ThreadPriority;
  readonly #typeScript: TypeScript;
  #baseline: Baseline | null = null;
  /** As the modules that were loaded here left them; null while only our own code runs. */
  #builtins: Builtins | null = null;
  readonly #loaded = new Set<string>();
  #gateway: GatewayClient | null = null;
  #current: Occupancy | null = null;
  readonly #leftovers = new Leftovers();
  readonly #strayFaults: StrayFaults;
  readonly #shared = new Map<string, unknown>();
  /** Conversations that the host counts on, by the actor. */
  readonly #conversations = new Map<string, readonly unknown[]>();
  readonly #kits = new WeakMap<WorkerSpec, LoadedTools | Promise<LoadedTools>>();

  constructor(
    port: MessagePort,
    { sharedFlags, needed }: { readonly sharedFlags: Int32Array; readonly needed: Int32Array },
    priority: ThreadPriority,
    typeScript: TypeScript,
  ) {
    this.#host = new HostPort(port, sharedFlags);
    this.#sharedFlags = sharedFlags;
    this.#needed = needed;
    this.#priority = priority;
    this.#typeScript = typeScript;
    this.#strayFaults = new StrayFaults({
      current: () => this.#current?.activation.id ?? null,
      onStray: (cause) => this.#post({ type: 'fault', failure: outboundFailure(cause) }),
    });
    port.on('message', (message: ToThread | GatewayPortMessage) => this.#receive(message));
  }

  async #answerPing({ nonce, isPatient }: Extract<ToThread, { type: 'ping' }>): Promise<void> {
    if (isPatient) await requestsOver(processTime);
    await printed();
    this.#post({ type: 'pong', nonce });
  }

  #receive(message: ToThread | GatewayPortMessage): void {
    switch (message.type) {
      case 'start':
        this.#start(message);
        break;
      case 'ping':
        void this.#answerPing(message);
        break;
      case 'gateway':
        if (this.#gateway === null) this.#gateway = new GatewayClient(message.port);
        else this.#gateway.usePort(message.port);
        this.#baseline = null;
        break;
      case 'link':
        if (message.activation === this.#current?.activation.id) {
          this.#current.services.receive(message.payload);
        }
        break;
      case 'model':
        if (message.activation === this.#current?.activation.id) {
          // The host posts what its gateway answers.
          this.#current.hostPort.receive(message.message as FromGateway);
        }
        break;
      case 'interrupt':
        if (message.activation === this.#current?.activation.id) {
          for (const answer of message.model) this.#current.hostPort.receive(answer as FromGateway);
          this.#current.activation.receive(message);
        }
        break;
      default:
        if (message.activation === this.#current?.activation.id)
          this.#current.activation.receive(message);
    }
  }

  #start(start: Start): void {
    const id = start.activation;
    const baseline = this.#baseline ?? takeBaseline();
    this.#baseline = baseline;
    const services = new RpcClient((payload) =>
      this.#post({ type: 'link', activation: id, payload }),
    );
    const hostPort = new HostModelPort((message) => activation.askModel(message));
    const gateway = start.modelRoute === 'gateway' ? this.#gateway : null;
    const model = new ModelChannel(start.token, gateway ?? new GatewayClient(hostPort));
    const activation: WorkerActivation = new WorkerActivation({
      start,
      sharedFlags: this.#sharedFlags,
      post: (message) => this.#post(message),
      findLeaks: () => this.#leaksOf(occupancy),
      onEnded: () => {
        services.close();
        if (this.#current === occupancy) this.#current = null;
      },
    });
    const occupancy: Occupancy = {
      ...{ activation, services, model, hostPort, baseline },
      abandoned: 0,
      hasRunCode: start.target.type !== 'agent',
    };
    this.#current = occupancy;
    void this.#begin(occupancy, start);
  }

  /** What the activation left behind here; empty when the thread may serve another. */
  #leaksOf(occupancy: Occupancy): readonly string[] {
    const { services, model } = occupancy;
    const leaks = [...this.#leftBehind(occupancy)];
    if (services.pending > 0) leaks.push('a service call');
    if (model.pending > 0) leaks.push('a model call');
    return leaks;
  }

  /** The same while a run is on, beside the calls that it waits for: none before code of a tool has run. */
  #leftBehind({ services, abandoned, hasRunCode, baseline }: Occupancy): readonly string[] {
    const changed = this.#builtins === null || !hasRunCode ? null : changedBuiltin(this.#builtins);
    // What is changed may fail in our own code as well.
    if (changed !== null) return [`a changed ${changed}`];
    const leaks = hasRunCode ? [...findLeaks(baseline), ...this.#leftovers.find()] : [];
    if (this.#strayFaults.hasReported) leaks.push('a fault of an earlier life');
    if (services.pendingBeside(callsOfRuns) > 0) leaks.push('a service call');
    if (abandoned > 0) leaks.push('a tool that was given up');
    return leaks;
  }

  #isNeeded(): boolean {
    return Atomics.load(this.#needed, 0) > 0;
  }

  #takePlace(): boolean {
    if (this.#isAlwaysNeeded()) return true;
    return this.#isNeeded() && Atomics.sub(this.#needed, 0, 1) > 0;
  }

  #isAlwaysNeeded(): boolean {
    return Atomics.load(this.#needed, 0) === alwaysNeeded;
  }

  /** Loads what the activation runs; a module that cannot be loaded fails its start, not the thread. */
  async #begin(occupancy: Occupancy, start: Start): Promise<void> {
    const { activation, services, model } = occupancy;
    // Whatever becomes of this activation: the host counts on what it sent being here.
    const args = this.#argsOf(start);
    let behavior: Behavior;
    try {
      const { target } = start;
      const loaded =
        target.type === 'agent'
          ? agentBehavior({
              model,
              host: hostServiceCalls(services),
              loadedOf: (spec) => this.#loadedOf(spec),
              leaving: {
                isNeeded: () => this.#isNeeded(),
                takePlace: () => this.#takePlace(),
                isAlwaysNeeded: () => this.#isAlwaysNeeded(),
                leftBehind: () => this.#leftBehind(occupancy),
                hasUnsent: () => services.hasUnsent,
                leave: () => {
                  // They are what the run waits for, wherever it goes on: no leftovers of this activation (W5).
                  services.handOver(callsOfRuns);
                  activation.park([]);
                },
              },
              hasRunCode: () => occupancy.hasRunCode,
              abandoned: (late) => {
                occupancy.abandoned += 1;
                void late.finally(() => {
                  occupancy.abandoned -= 1;
                });
              },
              runCode: (work) => {
                this.#priority.stepBack();
                occupancy.hasRunCode = true;
                return this.#strayFaults.follow(work);
              },
              clock: systemClock,
              heartbeat: () => Atomics.add(this.#sharedFlags, sharedFlags.heartbeats, 1),
            })
          : await loadTarget(target, this.#import);
      // What a module declares is typed by its author; an activation runs it as it is.
      behavior = loaded as Behavior;
    } catch (error) {
      activation.startFailed(toFault(error, 'module_failed'));
      return;
    }
    if (!activation.isEnded) activation.begin(behavior, args);
  }

  /** The start arguments. The host sends a value that activations share once per slot; it is kept until `forget`. */
  #argsOf({ args, shared, conversation }: Start): unknown {
    if (shared === null) return args;
    if (shared.forget !== undefined) this.#shared.delete(shared.forget);
    if ('value' in shared) this.#shared.set(shared.key, shared.value);
    const memory = conversation === null ? [] : this.#conversationOf(conversation);
    // The host sends the parts of one object.
    return { ...(args as object), memory, spec: this.#shared.get(shared.key) };
  }

  #conversationOf({ key, from, messages, isKept, forget }: ConversationPart): readonly unknown[] {
    const kept = this.#conversations.get(key) ?? [];
    for (const each of forget) this.#conversations.delete(each);
    const whole = from === 0 ? messages : [...kept.slice(0, from), ...messages];
    if (isKept) this.#conversations.set(key, whole);
    return whole;
  }

  #loadedOf(spec: WorkerSpec): LoadedTools | Promise<LoadedTools> {
    const known = this.#kits.get(spec);
    if (known !== undefined) return known;
    const loaded = loadToolsOf(spec, this.#import);
    this.#kits.set(spec, loaded);
    if (loaded instanceof Promise) {
      loaded.then(
        (loaded) => this.#kits.set(spec, loaded),
        // A module that could not be loaded fails this activation; the next one tries again.
        () => this.#kits.delete(spec),
      );
    }
    return loaded;
  }

  /** What a module itself changes and starts is no activation's doing. */
  readonly #import: ImportModule = async (url) => {
    await this.#typeScript.prepare(url);
    const module: Readonly<Record<string, unknown>> = await import(url);
    if (this.#loaded.has(url)) return module;
    // Node is closing the files of what it loaded: an activation that ends at once did not leave them open.
    await nextTurn();
    this.#loaded.add(url);
    this.#builtins = takeBuiltins();
    this.#leftovers.expectPresent();
    return module;
  };

  #post(message: FromThread): void {
    this.#host.post(message);
  }
}
