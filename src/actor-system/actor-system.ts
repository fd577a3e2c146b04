// Owns the public kernel: actors of any kind, inline or on threads, without agents or models. Composition root of both.
import { fileURLToPath } from 'node:url';
import type { Address } from '../actor/address.ts';
import type { AnyBehavior, ChildOptions } from '../actor/behavior.ts';
import type { Cell } from '../actor/cell.ts';
import type { DeadLetter } from '../actor/dead-letters.ts';
import type { HostedCell, Launch } from '../actor/host.ts';
import type { LedgerSnapshot } from '../actor/ledger.ts';
import type { MethodCall } from '../actor/object-actor.ts';
import type { ActorRef } from '../actor/ref.ts';
import { toSerializable } from '../actor/serializable.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { ActivationTarget } from '../protocol/worker-messages.ts';
import {
  isolationOf,
  type WorkerProfile,
  workerProfileSchema,
} from '../protocol/worker-profile.ts';
import { defaultGracePeriods, type GracePeriods } from '../supervision/termination.ts';
import { defaultWindow, WorkerActivationHost } from '../threads/worker-activation-host.ts';
import { WorkerPool } from '../threads/worker-pool.ts';
import {
  type ActorSystemOptions,
  checkActorSystemOptions,
  type SystemLog,
  type ThreadSpawnOptions,
} from './actor-system-options.ts';
import { DeadlockWatch } from './deadlock-watch.ts';
import { Kernel, type SpawnOptions } from './kernel.ts';
import { PendingStarts } from './pending-starts.ts';
import { tellerOf } from './standard-error.ts';

/** Methods of a class as they look from outside: each call is a message, each result a promise. */
export type ObjectActor<T> = {
  readonly [Name in keyof T as T[Name] extends (...args: never[]) => unknown
    ? Name
    : never]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
} & {
  /** The actor itself, to watch, interrupt or stop it. */
  readonly $ref: ActorRef;
};

const defaultMaxThreads = 64;
const defaultStartTimeoutMs = 60_000;
const defaultCallTimeoutMs = 30_000;

/** Actors without agents: inline ones and those on threads, one tree, one ledger. */
export class ActorSystem {
  readonly #kernel: Kernel;
  readonly #pool: WorkerPool;
  readonly #tell: (entry: SystemLog) => void;
  readonly #starts: PendingStarts;
  readonly #startTimeoutMs: number;
  readonly #clock: Clock;
  readonly #graces: GracePeriods;
  /** What the activations of a cell may use; its children may use no more. */
  readonly #profiles = new WeakMap<HostedCell, WorkerProfile>();
  #closing: Promise<void> | null = null;

  constructor(options: ActorSystemOptions = {}) {
    checkActorSystemOptions(options);
    const { clock, random, onDeadLetter } = options;
    const tell = tellerOf(options.onLog, process.env);
    const { threads = {}, startTimeoutMs = defaultStartTimeoutMs } = options;
    this.#clock = clock ?? systemClock;
    this.#graces = { ...defaultGracePeriods, ...options.graces };
    this.#startTimeoutMs = startTimeoutMs;
    this.#tell = tell;
    this.#starts = new PendingStarts(this.#clock, startTimeoutMs);
    this.#pool = new WorkerPool({
      clock: this.#clock,
      max: threads.max ?? defaultMaxThreads,
      min: threads.min ?? 0,
      reuse: threads.reuse ?? 'warm',
      env: process.env,
      onSaturated: () => deadlocks.look(),
      onLog: tell,
      ...(threads.idleMs === undefined ? {} : { idleMs: threads.idleMs }),
    });
    this.#kernel = new Kernel({
      clock: this.#clock,
      graces: this.#graces,
      ...(random === undefined ? {} : { random }),
      ...(onDeadLetter === undefined ? {} : { onDeadLetter }),
      ...(options.maxTotalBytes === undefined ? {} : { maxTotalBytes: options.maxTotalBytes }),
      observer: {
        started: (cell) => this.#starts.started(cell),
        released: (cell, exit) => {
          this.#starts.released(cell, exit);
          const { reason, failure } = exit;
          if (reason !== 'crashed' || failure === undefined) return;
          tell({ level: 'error', message: `actor ${cell.address.path} crashed`, failure });
        },
        stayedLive: ({ address: { path } }, failure) => {
          if (failure !== null) tell({ level: 'warn', message: `${path} stays live`, failure });
        },
        activationFailed: ({ address: { path } }, failure) =>
          tell({ level: 'error', message: `${path} could not be activated`, failure }),
      },
      spawnChild: (parent, module, child) => this.#spawnChild(parent, module, child),
    });
    const { asks } = this.#kernel.router;
    const deadlocks = new DeadlockWatch(this.#pool, asks);
    asks.onWaitsChanged = () => deadlocks.look();
  }

  /**
   * Starts an actor: a behaviour in this loop, or the default export of a module on a thread of its own.
   * Resolves once it has started. Rejects `module_failed`, `name_taken`, `spawn_failed`, `interrupting`, `closed`.
   */
  async spawn<Message = unknown>(
    what: URL | string | AnyBehavior,
    options: ThreadSpawnOptions = {},
  ): Promise<ActorRef<Message>> {
    if (typeof what === 'object' && !(what instanceof URL)) {
      return this.#started<Message>(this.#kernel.inlineLaunch(what, options.args), options);
    }
    const url = moduleUrl(what);
    return this.#started<Message>(this.#launch({ type: 'behavior', url }, options), options);
  }

  /** Like `spawn` for a behaviour in this loop, without a promise; a failed start shows as its exit. */
  spawnInline<Message = unknown>(behavior: AnyBehavior, options?: SpawnOptions): ActorRef<Message> {
    return this.#kernel.spawnInline<Message>(behavior, options);
  }

  /**
   * Starts a class as an actor on a thread: its default export, or the one named. `args` is the list for its
   * constructor. Each method becomes a message; a call rejects after `callTimeoutMs`, 30,000 by default.
   */
  async spawnObject<T>(
    what: URL | string,
    options: ThreadSpawnOptions & {
      readonly exportName?: string;
      readonly callTimeoutMs?: number;
    } = {},
  ): Promise<ObjectActor<T>> {
    const { exportName = null, callTimeoutMs = defaultCallTimeoutMs } = options;
    if (options.passivate !== undefined) {
      const why = 'an object actor cannot be passivated: an instance of a class is no plain data';
      throw new TroupeError('invalid_options', why);
    }
    const target: ActivationTarget = { type: 'object', url: moduleUrl(what), exportName };
    const ref = await this.#started(this.#launch(target, options), options);
    return facade<T>(ref, callTimeoutMs);
  }

  /** Opens threads ahead of need; none once it is closed. */
  prewarm(count: number, profile?: WorkerProfile): Promise<void> {
    return this.#kernel.processRef.during(this.#pool.prewarm(count, profile));
  }

  /** A ref to a live actor by id or path; null when there is none. */
  find(idOrPath: string): ActorRef | null {
    const cell = this.#kernel.router.registry.find(idOrPath);
    return cell === undefined ? null : this.#kernel.refOf(cell);
  }

  /** A ref to an address that came in a message. */
  refOf<Message = unknown>(address: Address): ActorRef<Message> {
    return this.#kernel.refTo<Message>(address);
  }

  /** The message ledger; it closes at every moment. */
  ledger(): LedgerSnapshot {
    return this.#kernel.ledger();
  }

  /** The last 1,000 dead letters, oldest first. */
  deadLetters(): readonly DeadLetter[] {
    return this.#kernel.deadLetters();
  }

  /** Threads that exist now. */
  get threads(): number {
    return this.#pool.size;
  }

  /**
   * Stops every actor leaf-first, then ends the threads. Idempotent; resolves when nothing is left. A thread inside
   * a synchronous native call cannot be ended: it is given up 10 s after its actor's kill and 10 s more for the thread,
   * `onLog` receives the failure, and the process, `process.exit()` too, ends only when that call returns.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closes the system, at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#kernel.close();
    this.#starts.close();
    const failure = await this.#kernel.processRef.during(this.#pool.close());
    const message = 'the system closed without the end of every thread';
    if (failure !== null) this.#tell({ level: 'error', message, failure });
    this.#kernel.processRef.close();
  }

  #launch(
    target: ActivationTarget & { readonly url: string },
    options: ThreadSpawnOptions,
  ): Launch {
    const { profile = {}, window = defaultWindow } = options;
    parseOptions(workerProfileSchema, profile, 'profile');
    const args = toSerializable(options.args).value;
    return (cell) => {
      this.#profiles.set(cell, profile);
      return new WorkerActivationHost(cell, {
        pool: this.#pool,
        kernel: this.#kernel,
        profile,
        target,
        moduleSet: target.url,
        // Of what a process was handed only one message can be in doubt when it dies.
        window: isolationOf(profile) === 'thread' ? window : 1,
        startTimeoutMs: this.#startTimeoutMs,
        args: () => args,
      });
    };
  }

  async #started<Message>(launch: Launch, options: SpawnOptions): Promise<ActorRef<Message>> {
    const cell: Cell = this.#kernel.spawnCell(launch, options);
    await this.#untilStarted(cell);
    return this.#kernel.refOf<Message>(cell);
  }

  #untilStarted(cell: Cell, settled?: () => void): Promise<void> {
    const giveUp = (): unknown => this.#kernel.tree.kill(cell.address);
    return this.#kernel.processRef.during(this.#starts.wait(cell, giveUp, settled));
  }

  async #spawnChild(parent: Address, module: string, child: ChildOptions): Promise<Address> {
    const { name, args, restart, scope, linked } = child;
    const parentCell = this.#kernel.router.registry.get(parent.id);
    const profile = parentCell === undefined ? undefined : this.#profiles.get(parentCell);
    const url = moduleUrl(module);
    const options: ThreadSpawnOptions = {
      parent,
      args,
      ...(profile === undefined ? {} : { profile }),
      ...(name === undefined ? {} : { name }),
      ...(restart === undefined ? {} : { restart }),
      ...(scope === undefined ? {} : { scope }),
      ...(linked === undefined ? {} : { linked }),
    };
    const cell = this.#kernel.spawnCell(this.#launch({ type: 'behavior', url }, options), options);
    // A parent between two receives can process messages: its spawn is no wait that could close a cycle.
    const isWaiting = parentCell?.isBusy === true;
    const { asks } = this.#kernel.router;
    await this.#untilStarted(cell, isWaiting ? asks.waitFor(parent, cell.address) : undefined);
    return cell.address;
  }
}

/** Starts a system of actors. Throws `invalid_options` naming the field and the value seen. */
export function createActorSystem(options: ActorSystemOptions = {}): ActorSystem {
  return new ActorSystem(options);
}

function moduleUrl(what: URL | string): string {
  const text = String(what);
  if (!URL.canParse(text)) {
    throw new TroupeError('invalid_options', `a module is given as a URL, got ${describe(what)}`);
  }
  if (text.startsWith('file:') && fileURLToPath(text).endsWith('.ts')) {
    // Node 20 cannot load it in a thread, and below node_modules no version can.
    throw new TroupeError('invalid_options', `a thread loads JavaScript, got ${describe(text)}`);
  }
  return text;
}

/** A call of any own name is a message; `then` is none, so that `await` does not take the facade for a promise. */
function facade<T>(ref: ActorRef, timeoutMs: number): ObjectActor<T> {
  const target: object = Object.freeze(Object.create(null));
  const proxy = new Proxy(target, {
    get: (_target, name) => {
      if (name === '$ref') return ref;
      if (typeof name !== 'string' || name === 'then') return undefined;
      return (...args: unknown[]) => {
        const call: MethodCall = { method: name, args };
        return ref.ask(call, { timeoutMs });
      };
    },
    set: () => {
      throw new TroupeError('invalid_options', 'an object actor has methods only');
    },
  });
  // The proxy answers every method name with a call: the type lists those that the class has.
  return proxy as ObjectActor<T>;
}
