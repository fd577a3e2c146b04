// Owns the port between a cell and its supervisor: restarts, children, signals from inside.
import type { Failure } from '../base/failures.ts';
import type { Address } from './address.ts';
import type { ChildOptions } from './behavior.ts';
import type { Exit } from './exit.ts';

/** Decides for a cell: restarts, children, signals from inside. */
export interface CellSupervisor<Cell> {
  started(cell: Cell): void;
  /** An activation is over. The supervisor calls `restart` now or later, or `finish`. */
  activationEnded(cell: Cell, exit: Exit): void;
  parked(cell: Cell): void;
  /** False while a child, a signal on its way or a restart keeps an idle cell live (P1). */
  isFree(cell: Cell): boolean;
  /** An idle cell gave up its place. */
  passivated(cell: Cell): void;
  /** The cell was asked to be passive and is not: busy, or its snapshot could not be taken (P1). */
  stayedLive(cell: Cell, failure: Failure | null): void;
  /** The cell is still passive; what waited for its activation has become dead letters (P2). */
  activationFailed(cell: Cell, failure: Failure): void;
  unresponsive(cell: Cell): void;
  /** The cell is over: its name is free, its notices are sent; an unresponsive cell still counts as using its slot. */
  released(cell: Cell, exit: Exit): void;
  /** All watchers and listeners have been notified that the cell is over: what waited for it goes on. */
  left(cell: Cell, exit: Exit): void;
  /** True for a cell that is only stopped to start again: its mail is kept (V3). */
  isRestarting(cell: Cell): boolean;
  /** The thread of an unresponsive cell exited after all. */
  gone(cell: Cell): void;
  /** A cell whose intake is suspended has nothing in flight any more. */
  idle(cell: Cell): void;
  published(cell: Cell, event: unknown): void;
  /** A listener of the host program threw; the actor is not to blame. */
  listenerFailed(cell: Cell, error: unknown): void;
  spawnChild(parent: Address, module: string, options: ChildOptions): Promise<Address>;
  /** Stops an actor for another: itself, or one below it. Any other actor is left alone. */
  stopFor(owner: Address, actor: Address): void;
}
