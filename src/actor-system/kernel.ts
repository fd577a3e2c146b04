// Owns the kernel's assembly: router, tree, inline activations. Leaves out threads and the systems built on it.
import type { Address } from '../actor/address.ts';
import type { AnyBehavior, Behavior, ChildOptions, RestartType } from '../actor/behavior.ts';
import type { Cell } from '../actor/cell.ts';
import type { DeadLetter } from '../actor/dead-letters.ts';
import type { Launch } from '../actor/host.ts';
import { InlineHost, type InlineSurroundings } from '../actor/inline-host.ts';
import type { LedgerSnapshot } from '../actor/ledger.ts';
import type { MailboxLimits } from '../actor/mailbox.ts';
import { MessageRouter } from '../actor/message-router.ts';
import { ActorRef, type RefSurroundings } from '../actor/ref.ts';
import { Scheduler } from '../actor/scheduler.ts';
import { type Clock, ProcessRef, systemClock, systemRandom } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import type {
  Backoff,
  ChildScope,
  ChildSpec,
  Intensity,
  Strategy,
} from '../supervision/child-spec.ts';
import { SupervisionTree } from '../supervision/supervision-tree.ts';
import type { GracePeriods } from '../supervision/termination.ts';
import type { TreeObserver } from '../supervision/tree-options.ts';

export type KernelOptions = {
  readonly clock?: Clock;
  /** Chance, for the jitter of backoffs; in [0, 1). */
  readonly random?: () => number;
  readonly graces?: Partial<GracePeriods>;
  readonly observer?: TreeObserver;
  readonly onDeadLetter?: (letter: DeadLetter) => void;
  /** Of the messages that wait in all mailboxes together. Default 1 GiB. */
  readonly maxTotalBytes?: number;
};

/** How an actor is started, restarted and bounded. */
export type SpawnOptions = {
  /** Unique among live siblings. Default: the actor's id. */
  readonly name?: string;
  /** Handed to the behaviour's `start`; plain data when the actor runs on a thread. */
  readonly args?: unknown;
  /** Default `temporary`: never restarted. */
  readonly restart?: RestartType;
  /** How its own children share restarts. Default `one_for_one`. */
  readonly strategy?: Strategy;
  /** Default 3 restarts in 60 s; one more ends the actor and its parent. */
  readonly intensity?: Intensity;
  /** Default 0.2 s doubling to 30 s, with jitter. */
  readonly backoff?: Backoff;
  /** Default 1,024 messages and 16 MiB, refusing what does not fit. */
  readonly mailbox?: Partial<MailboxLimits>;
  /** The parent actor; default the root. */
  readonly parent?: Address | ActorRef;
  /** `run`: it ends with its parent's current receive; `session`: with its parent. Default `session`. */
  readonly scope?: ChildScope;
  /** An abnormal exit of the actor kills its parent too. Default false. */
  readonly linked?: boolean;
  /**
   * Idle for so long, without queued or stashed mail, open asks or children, an actor gives up its thread and keeps its
   * state, which has to be plain data. The next message continues with that state; `start` does not run again, and
   * `stopped` does not run when it is ended meanwhile. What its module stores outside the state is lost. A state that
   * cannot be kept is reported and keeps the actor live. Default: it keeps its thread.
   */
  readonly passivate?: { readonly afterIdleMs: number };
};

/** Options that only the supervisor's agents use. */
export type CellSpawnOptions = SpawnOptions & {
  /** The path that its own begins with. Default: that of its parent. */
  readonly pathBelow?: string;
  /** When an activation is lost, the actor becomes passive and does not end. */
  readonly survivesCrash?: boolean;
};

const noOptions: SpawnOptions = {};

/** The kernel without threads: the base of every system. */
export class Kernel {
  readonly clock: Clock;
  /** Keeps the process alive while a call of the program waits for this system. */
  readonly processRef = new ProcessRef();
  readonly router: MessageRouter<Cell>;
  readonly tree: SupervisionTree;
  readonly #around: InlineSurroundings;
  readonly #outside: RefSurroundings;
  #isClosed = false;
  #closing: Promise<void> | null = null;

  constructor(
    options: KernelOptions & {
      readonly spawnChild?: (
        parent: Address,
        module: string,
        child: ChildOptions,
      ) => Promise<Address>;
    } = {},
  ) {
    this.clock = options.clock ?? systemClock;
    this.router = new MessageRouter<Cell>({
      clock: this.clock,
      processRef: this.processRef,
      ...(options.maxTotalBytes === undefined ? {} : { maxTotalBytes: options.maxTotalBytes }),
      ...(options.onDeadLetter === undefined ? {} : { onDeadLetter: options.onDeadLetter }),
    });
    this.tree = new SupervisionTree({
      router: this.router,
      clock: this.clock,
      processRef: this.processRef,
      random: options.random ?? systemRandom,
      ...(options.graces === undefined ? {} : { graces: options.graces }),
      ...(options.observer === undefined ? {} : { observer: options.observer }),
      ...(options.spawnChild === undefined ? {} : { spawnChild: options.spawnChild }),
    });
    this.#outside = { router: this.router, carrier: this.tree };
    this.#around = {
      router: this.router,
      supervisor: this.tree,
      scheduler: new Scheduler(),
    };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts a behaviour in this loop: cheap, not isolated, killed only in name. */
  spawnInline<Message = unknown>(
    behavior: AnyBehavior,
    options: SpawnOptions = noOptions,
  ): ActorRef<Message> {
    return this.refOf<Message>(this.spawnCell(this.inlineLaunch(behavior, options.args), options));
  }

  spawnCell(launch: Launch, options: SpawnOptions): Cell {
    const cell = this.createCell(launch, options);
    cell.open();
    return cell;
  }

  /** Makes an actor that its owner opens. */
  createCell(launch: Launch, options: CellSpawnOptions): Cell {
    if (this.#isClosed) throw new TroupeError('closed', 'the system is closed');
    const { passivate } = options;
    return this.tree.create({
      parent: addressOf(options.parent),
      launch,
      ...(options.pathBelow === undefined ? {} : { pathBelow: options.pathBelow }),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.mailbox === undefined ? {} : { mailbox: options.mailbox }),
      ...(passivate === undefined ? {} : { passivateAfterMs: afterIdleOf(passivate) }),
      ...specOf(options),
    });
  }

  inlineLaunch(behavior: AnyBehavior, args: unknown): Launch {
    // A host runs what it is given; that message and args fit the behaviour is the spawner's typed promise.
    const what = { behavior: behavior as Behavior, args };
    return (cell) => new InlineHost(cell, what, this.#around);
  }

  refOf<Message = unknown>(cell: Cell): ActorRef<Message> {
    return this.refTo<Message>(cell.address);
  }

  refTo<Message = unknown>(address: Address): ActorRef<Message> {
    return new ActorRef<Message>(address, this.#outside);
  }

  /** The message ledger; closes at every moment. */
  ledger(): LedgerSnapshot {
    return this.router.snapshot();
  }

  deadLetters(): readonly DeadLetter[] {
    return this.router.deadLetters.list();
  }

  /** Stops admission, settles asks, stops every actor leaf-first. Idempotent: all callers await the one end. */
  close(graces?: Partial<GracePeriods>): Promise<void> {
    // First, so that no cleanup that runs in this call can still spawn.
    this.#isClosed = true;
    this.#closing ??= this.#close(graces);
    return this.#closing;
  }

  async #close(graces?: Partial<GracePeriods>): Promise<void> {
    await this.tree.stopAll(graces);
    this.router.asks.failAll({ code: 'closed', message: 'the system closed', retryable: false });
  }
}

function addressOf(parent: Address | ActorRef | undefined): Address | null {
  if (parent === undefined) return null;
  return parent instanceof ActorRef ? parent.address : parent;
}

const noSpec: { spec?: Partial<ChildSpec> } = {};

/** Throws `invalid_options`: a timer of nothing would look for ever. */
function afterIdleOf(passivate: NonNullable<SpawnOptions['passivate']>): number {
  const afterIdleMs: unknown = passivate.afterIdleMs;
  if (typeof afterIdleMs === 'number' && afterIdleMs >= 1 && afterIdleMs < Infinity) {
    return afterIdleMs;
  }
  const seen = describe(afterIdleMs);
  throw new TroupeError(
    'invalid_options',
    `passivate.afterIdleMs must be a finite number from 1, it is ${seen}`,
  );
}

function specOf(options: CellSpawnOptions): { spec?: Partial<ChildSpec> } {
  if (options === noOptions) return noSpec;
  const { restart, strategy, intensity, backoff, scope, linked, survivesCrash } = options;
  const spec = {
    ...(restart === undefined ? {} : { restart }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(intensity === undefined ? {} : { intensity }),
    ...(backoff === undefined ? {} : { backoff }),
    ...(scope === undefined ? {} : { scope }),
    ...(linked === undefined ? {} : { isLinked: linked }),
    ...(survivesCrash === undefined ? {} : { survivesCrash }),
  };
  return Object.keys(spec).length === 0 ? {} : { spec };
}
