// Owns how one cell becomes passive and active again: its idle clock, its kept snapshot, its reports (P1 to P3).
// Leaves out the decision (passivation-policy.ts) and the states (lifecycle.ts).
import type { CancelTimer, Clock } from '../base/clock.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { CellEvent, CellState } from './cell-state.ts';
import type { CellSupervisor } from './cell-supervisor.ts';
import type { Exit } from './exit.ts';
import type { Snapshot } from './host.ts';
import type { Inbox } from './inbox.ts';
import { isEligible, whenIdle } from './passivation-policy.ts';

/** What it looks at of a cell. */
type Passivated = { readonly state: CellState; readonly isFrozen: boolean };

export type PassivationOptions<Cell> = {
  readonly cell: Cell;
  readonly mail: Inbox;
  readonly supervisor: CellSupervisor<Cell>;
  readonly clock: Clock;
  readonly apply: (event: CellEvent) => void;
  /** Idle for so long it becomes passive, and the next message makes it active; undefined leaves both to its owner. */
  readonly afterIdleMs: number | undefined;
};

export class Passivation<Cell extends Passivated> {
  readonly #options: PassivationOptions<Cell>;
  /** What the last activation kept, until the next one has started with it. */
  kept: Snapshot | null = null;
  #lastActiveAt = 0;
  #cancelLook: CancelTimer | null = null;
  #hasFailed = false;
  #isRequested = false;

  constructor(options: PassivationOptions<Cell>) {
    this.#options = options;
  }

  // --- what owners ask

  /** Gives up the place of an idle cell, as soon as nothing keeps it live, or until `stay`. */
  begin(): void {
    this.#isRequested = !isEligible(this.#facts());
    if (this.#isRequested) return;
    this.#stopLooking();
    this.#options.apply({ type: 'passivate' });
  }

  /** Cancels a request of `begin` that still waits; a passivation that has begun goes on. */
  stay(): void {
    this.#isRequested = false;
  }

  /**
   * Keeps a cell whose activation was lost, without one: what that had been handed and had not begun is lost with it, and
   * what follows is another incarnation.
   */
  rest({ reason, failure: cause = failure('thread_exited', `it ended (${reason})`) }: Exit): void {
    this.#options.mail.failActivation(cause);
    this.#options.apply({ type: 'passivate' });
  }

  // --- what happens to the cell

  /** An activation has started: what it was handed is its own now. */
  started(): void {
    this.kept = null;
    this.active();
  }

  /** An activation has started, or a receive is over. */
  active(): void {
    const { clock, afterIdleMs } = this.#options;
    this.#hasFailed = false;
    this.#lastActiveAt = clock.now();
    if (this.#isRequested) this.begin();
    if (afterIdleMs === undefined || this.#cancelLook !== null) return;
    this.#lookIn(afterIdleMs);
  }

  /** Mail is there, or may be taken again: a passive cell whose business it is makes itself an activation. */
  mailCame(): void {
    const { cell, mail, apply, afterIdleMs } = this.#options;
    if (this.#isRequested) this.begin();
    if (afterIdleMs === undefined || cell.isFrozen || mail.queued === 0) return;
    const { state } = cell;
    if (state.status === 'passivated' && !state.isPaused) apply({ type: 'activate' });
  }

  /** The activation that was to continue could not be made: the cell is as passive as before (P2). */
  activationFailed(cause: Failure): void {
    const { cell, mail, supervisor } = this.#options;
    mail.failActivation(cause);
    supervisor.activationFailed(cell, cause);
  }

  /** The cell is over. */
  close(): void {
    this.kept = null;
    this.#isRequested = false;
    this.#stopLooking();
  }

  // --- what the host reports

  /** The activation is over and keeps this; null when it has nothing of its own. */
  gaveUp(kept: Snapshot | null): void {
    const { cell, supervisor, apply } = this.#options;
    this.kept = kept;
    apply({ type: 'passivated' });
    if (cell.state.status !== 'passivated') return;
    supervisor.passivated(cell);
    this.mailCame();
  }

  /** The activation goes on: it is busy with what the cell cannot see, or its snapshot failed. */
  stayedLive(cause: Failure | null): void {
    const { cell, supervisor, apply } = this.#options;
    apply({ type: 'stayed_live' });
    if (cause === null) this.active();
    else this.#hasFailed = true;
    supervisor.stayedLive(cell, cause);
  }

  #look(): void {
    const { clock, afterIdleMs } = this.#options;
    this.#cancelLook = null;
    if (afterIdleMs === undefined) return;
    const idleForMs = clock.now() - this.#lastActiveAt;
    const verdict = whenIdle({ ...this.#facts(), idleForMs, afterIdleMs });
    if (verdict.type === 'look_again') this.#lookIn(verdict.inMs);
    else if (verdict.type === 'passivate') this.begin();
  }

  #facts() {
    const { cell, mail, supervisor } = this.#options;
    const { queued, stashed, inFlight, mustReply } = mail;
    const isFree = supervisor.isFree(cell);
    const { status } = cell.state;
    return { status, queued, stashed, inFlight, mustReply, isFree, hasFailed: this.#hasFailed };
  }

  #lookIn(delayMs: number): void {
    this.#cancelLook = this.#options.clock.after(delayMs, () => this.#look());
  }

  #stopLooking(): void {
    this.#cancelLook?.();
    this.#cancelLook = null;
  }
}
