// Owns what a tree is made with and asked for: a spawn, its options, and the observer of its events.
import type { Address } from '../actor/address.ts';
import type { ChildOptions } from '../actor/behavior.ts';
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { Launch } from '../actor/host.ts';
import type { MailboxLimits } from '../actor/mailbox.ts';
import type { MessageRouter } from '../actor/message-router.ts';
import type { Clock, ProcessRef } from '../base/clock.ts';
import type { Failure } from '../base/failures.ts';
import type { ChildSpec } from './child-spec.ts';
import type { GracePeriods } from './termination.ts';

export type SpawnRequest = {
  /** Null for a child of the root. */
  readonly parent: Address | null;
  /** The path that its own begins with. Default: that of its parent. */
  readonly pathBelow?: string | undefined;
  /** Unique among live siblings; the id when not given. */
  readonly name?: string;
  readonly launch: Launch;
  readonly spec?: Partial<ChildSpec>;
  readonly mailbox?: Partial<MailboxLimits>;
  /** Passive after so long without mail (P1). */
  readonly passivateAfterMs?: number | undefined;
};

/** Receives what happens in the tree, for the parts that keep events, tasks and slots. */
export type TreeObserver = {
  started?(cell: Cell): void;
  restarting?(cell: Cell, exit: Exit, delayMs: number): void;
  parked?(cell: Cell): void;
  /** `lost` is how an activation ended that its actor outlives; null when an idle one gave up its place. */
  passivated?(cell: Cell, lost: Exit | null): void;
  stayedLive?(cell: Cell, failure: Failure | null): void;
  activationFailed?(cell: Cell, failure: Failure): void;
  unresponsive?(cell: Cell): void;
  /** After the cell has left the tree and its watchers know. */
  released?(cell: Cell, exit: Exit): void;
  gone?(cell: Cell): void;
  published?(cell: Cell, event: unknown): void;
  partialOf?(cell: Cell): unknown;
  /** True while all that an actor does is to wait for its children. Default: no actor. */
  onlyWaits?(cell: Cell): boolean;
  /** True for an actor without an activation that ends its receive by itself once it is interrupted. Default: no actor. */
  endsParked?(cell: Cell): boolean;
  /** It is interrupted. */
  interruptParked?(cell: Cell, reason: string): void;
  /** A listener threw. Default: the error is thrown again where no actor is on the stack. */
  listenerFailed?(cell: Cell, error: unknown): void;
};

export type SupervisionTreeOptions = {
  readonly router: MessageRouter<Cell>;
  readonly clock: Clock;
  /** Keeps the process alive while an operation is under way. */
  readonly processRef: ProcessRef;
  readonly random: () => number;
  readonly graces?: Partial<GracePeriods>;
  readonly observer?: TreeObserver;
  /** How an actor's own `self.spawn` gets its child. */
  readonly spawnChild?: (
    parent: Address,
    module: string,
    options: ChildOptions,
  ) => Promise<Address>;
};
