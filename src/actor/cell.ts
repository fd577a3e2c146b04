// Owns one actor on the host's side: its lifecycle, its current activation, its watchers. Performs what `lifecycle.ts`
// decides. Leaves out restarts (its supervisor), mail (its inbox), where its activations run (its host).
import type { CancelTimer } from '../base/clock.ts';
import type { Failure } from '../base/failures.ts';
import type { Address } from './address.ts';
import type { OfferResult } from './behavior.ts';
import type { CellOptions } from './cell-options.ts';
import type { CellEffect, CellEvent, CellState } from './cell-state.ts';
import type { CellSupervisor } from './cell-supervisor.ts';
import type { Envelope } from './envelope.ts';
import type { Exit, ExitReason, Terminated } from './exit.ts';
import type { ActorHost, HostedCell, Launch, ReceiveResult, Snapshot } from './host.ts';
import { Inbox, type OfferWait } from './inbox.ts';
import {
  exitOf,
  firstStates,
  isBeginning,
  isOver,
  mayTakeMail,
  takesMail,
  transition,
} from './lifecycle.ts';
import type { MessageRouter } from './message-router.ts';
import { Passivation } from './passivation.ts';
import type { Receiver } from './receiver.ts';
import { type ExitListener, Watchers } from './watchers.ts';

/** How long after a kill a host may still be there before the cell is unresponsive (S7). */
const unresponsiveAfterMs = 10_000;

export class Cell implements HostedCell, Receiver {
  readonly address: Address;
  /** What the supervisor stores with this cell; only the supervisor reads or writes it. */
  attachment: unknown = undefined;
  /** A restart keeps the actor, and begins another one of these. */
  incarnation = 0;
  /** What was committed last. */
  snapshot: unknown = undefined;
  readonly #router: MessageRouter;
  readonly #supervisor: CellSupervisor<Cell>;
  readonly #mail: Inbox;
  #launch: Launch;
  #host: ActorHost | null = null;
  #state: CellState = firstStates.starting;
  #passivation: Passivation<Cell> | undefined;
  #isOpen = false;
  #hasSlot = false;
  #suspensions = 0;
  #lastResult: ReceiveResult | null = null;
  #watchers: Watchers | undefined;
  #cancelKillWatch: CancelTimer | undefined;

  constructor(options: CellOptions<Cell>) {
    this.address = options.address;
    this.#router = options.router;
    this.#supervisor = options.supervisor;
    this.#launch = options.launch;
    this.#mail = new Inbox(options.address, options.router, options.mailbox);
    const { passivateAfterMs: afterMs } = options;
    if (afterMs !== undefined) this.#passivation = this.#makePassivation(afterMs);
  }

  get state(): CellState {
    return this.#state;
  }
  get kept(): Snapshot | null {
    return this.#passivation?.kept ?? null;
  }
  /** Made at the first need: most actors are never passive. */
  get passivation(): Passivation<Cell> {
    this.#passivation ??= this.#makePassivation(undefined);
    return this.#passivation;
  }
  /** Accepted and unsettled messages: queued, in flight, stashed. */
  get pending(): number {
    return this.#mail.pending;
  }
  get isReceiving(): boolean {
    return this.#mail.inFlight > 0;
  }
  /** A receive has begun and not ended, whether or not there is an activation that goes on with it. */
  get isInReceive(): boolean {
    return this.isReceiving || this.#mail.isCarriedOver;
  }
  /** True while the behaviour's own code runs and no message can be handed over: a start or a receive. */
  get isBusy(): boolean {
    return this.isReceiving || isBeginning(this.#state);
  }
  get isFrozen(): boolean {
    return this.#suspensions > 0;
  }
  get isOver(): boolean {
    return isOver(this.#state);
  }
  /** How the last receive ended; null before the first. For receipts (S9). */
  get lastResult(): ReceiveResult | null {
    return this.#lastResult;
  }

  // --- what supervisors and refs call

  /** Starts the first activation. */
  open(): void {
    this.#perform('next_incarnation');
    this.#perform('launch');
  }
  /** The cell gets its first activation when it is first needed. */
  openAs(status: 'passivated' | 'parked'): void {
    this.#perform('next_incarnation');
    this.#state = firstStates[status];
    if (status === 'parked') this.#mail.carryOver();
  }

  restart(): void {
    this.#apply({ type: 'restart' });
  }

  /** Ends a cell whose activation is over; `exit` is what its watchers learn. */
  finish(exit: Exit): void {
    this.#apply({ type: 'finish', exit });
  }

  /** Opens a cell, or continues a parked or passive one, in an activation made by `launch` (V7, P2). */
  activate(launch: Launch): void {
    this.#launch = launch;
    if (this.incarnation === 0) this.open();
    else this.#apply({ type: 'activate' });
  }

  /** Ends the receive in hand; false when there is none (S5). */
  interrupt(reason: string): boolean {
    if (this.#mail.inFlight === 0 || this.#host === null) return false;
    this.#host.interrupt(reason);
    return true;
  }

  stop(reason: ExitReason): void {
    this.#apply({ type: 'stop', reason });
  }

  kill(reason: ExitReason): void {
    this.#apply({ type: 'kill', reason });
  }

  pause(): void {
    this.#apply({ type: 'pause' });
  }

  resume(): void {
    this.#apply({ type: 'resume' });
    this.#mailCame();
  }

  /** Hands the behaviour's own code a control message, ahead of its mail. */
  control(message: unknown): void {
    this.#host?.control(message);
  }

  /** Refuses new receives until as many `resumeIntake` calls came: the first step of a tree interrupt (S4). */
  suspendIntake(): void {
    this.#suspensions += 1;
    this.#setOpen();
    this.#host?.takeBack();
  }

  resumeIntake(): void {
    this.#suspensions -= 1;
    this.#setOpen();
    this.#passivation?.mailCame();
  }

  /** Calls `listener` once when the cell is over, at once if it is (V5). */
  onExit(listener: ExitListener): () => void {
    const over = exitOf(this.#state);
    if (over === null) return this.#withWatchers().listen(listener);
    this.#notify(listener, over);
    return () => {};
  }

  addWatcher(watcher: Address): void {
    this.#withWatchers().watch(watcher);
  }

  removeWatcher(watcher: Address): void {
    this.#watchers?.unwatch(watcher);
  }

  // --- admission of mail

  deliver(envelope: Envelope): OfferResult {
    if (!this.#isAccepting()) return this.#refuse(envelope);
    const result = this.#mail.admit(envelope);
    if (result === 'accepted') this.#mailCame();
    return result;
  }

  deliverNotice(envelope: Envelope): void {
    if (this.#isAccepting()) this.#mail.admitNotice(envelope);
    else this.#refuse(envelope);
    this.#mailCame();
  }

  /** Waits for space, behind the offers that wait already. */
  async offer(envelope: Envelope, wait: OfferWait): Promise<OfferResult> {
    if (!this.#isAccepting()) return this.#refuse(envelope);
    if (this.#mail.hasSpaceNow(envelope.bytes)) return this.deliver(envelope);
    return this.#mail.waitForSpace(envelope, wait, () => this.#mailCame());
  }

  // --- what the host calls

  /** The activation has its place: mail may be handed over ahead of `started`, and comes back if it never starts. */
  slotAcquired(): void {
    this.#hasSlot = true;
    this.#setOpen();
  }

  take(): Envelope | null {
    return this.#isOpen ? this.#mail.take() : null;
  }

  started(): void {
    this.#router.asks.receiveEnded(this.address.id);
    this.#apply({ type: 'started' });
    this.#passivation?.started();
    this.#supervisor.started(this);
  }

  startFailed(cause: Failure): void {
    this.#mail.giveBackAll();
    this.#router.asks.receiveEnded(this.address.id);
    this.#host = null;
    this.#cancelKillWatch?.();
    const wasActivating = this.#state.status === 'activating';
    this.#apply({ type: 'start_failed', failure: cause });
    if (wasActivating) this.#passivation?.activationFailed(cause);
  }

  acknowledge(result: ReceiveResult, cause?: Failure): void {
    this.#mail.acknowledge(result, cause);
    if (result !== 'expired') this.#lastResult = result;
    this.#passivation?.active();
    if (this.isFrozen) this.#reportIdle();
  }

  undeliverable(seq: number): void {
    this.#mail.lose(seq);
    if (this.isFrozen) this.#reportIdle();
  }

  returned(count: number): void {
    this.#mail.giveBack(count);
    if (this.isFrozen) this.#reportIdle();
    else if (this.#isOpen) this.#host?.wake();
  }

  unstash(): void {
    const count = this.#mail.unstash();
    if (this.#isOpen && count > 0) this.#host?.wake();
  }

  reply(askId: number, value: unknown): void {
    this.#mail.reply(askId, value);
  }

  failAsk(askId: number, cause: Failure): void {
    this.#mail.failAsk(askId, cause);
  }

  commit(snapshot: unknown): void {
    this.snapshot = snapshot;
  }

  publish(event: unknown): void {
    this.#supervisor.published(this, event);
  }

  startTimer(delayMs: number, message: unknown, onFired?: () => void): CancelTimer {
    const timer = { delayMs, message, onFired };
    return this.#withWatchers().startTimer(this.#router, this.address, timer);
  }

  activationEnded(exit: Exit, inHand: 'started' | 'not_started'): void {
    if (inHand === 'started') {
      this.#mail.acknowledge('crashed', exit.failure);
      this.#lastResult = 'crashed';
    }
    this.#mail.giveBackAll();
    this.#mail.failOpenAsks(exit);
    this.#host = null;
    this.#cancelKillWatch?.();
    this.#apply({ type: 'activation_ended', exit });
    // An interrupt that only wanted the receive to end has what it wanted, also by a crash.
    if (this.isFrozen) this.#reportIdle();
  }

  parked(): void {
    this.#mail.carryOver();
    this.#host = null;
    // The result of an earlier receive does not apply to the one that is parked.
    this.#lastResult = null;
    this.#apply({ type: 'parked' });
    if (this.#state.status === 'parked') this.#supervisor.parked(this);
  }

  /** The message in hand is done without another activation: the cell ends with it, or stays without one. */
  endParked({ isOver, result }: { isOver: boolean; result: ReceiveResult }): void {
    if (this.#state.status !== 'parked') return;
    if (this.#mail.take() !== null) this.acknowledge(result);
    if (isOver) this.#apply({ type: 'activation_ended', exit: { reason: 'normal' } });
    else this.passivation.gaveUp(null);
  }

  // --- effects

  #apply(event: CellEvent): void {
    const [state, effects] = transition(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: CellEffect): void {
    switch (effect) {
      case 'open_mail':
        this.#setOpen();
        break;
      case 'close_mail':
        this.#setOpen();
        this.#host?.takeBack();
        break;
      case 'send_stop':
        if (!this.#isAccepting()) this.#mail.closeOffers();
        this.#host?.stop(this.#state.status === 'stopping' ? this.#state.reason : 'stopped');
        break;
      case 'kill_host':
        if (!this.#isAccepting()) this.#mail.closeOffers();
        this.#host?.kill();
        break;
      case 'watch_kill':
        this.#watchKill();
        break;
      case 'report_exit':
        this.#host = null;
        if (this.#state.status === 'ended')
          this.#supervisor.activationEnded(this, this.#state.exit);
        break;
      case 'next_incarnation':
        this.incarnation += 1;
        this.#passivation?.close();
        break;
      case 'launch':
        this.#hasSlot = false;
        this.#mail.unstash();
        this.#host = this.#launch(this);
        this.#host.start();
        break;
      case 'ask_snapshot':
        this.#host?.passivate();
        break;
      case 'release':
        this.#release();
        break;
      case 'report_unresponsive':
        this.#supervisor.unresponsive(this);
        break;
      case 'report_gone':
        this.#supervisor.gone(this);
        break;
    }
  }

  #release(): void {
    const exit = exitOf(this.#state) ?? { reason: 'stopped' };
    this.#setOpen();
    this.#mail.close(exit);
    this.#passivation?.close();
    this.#watchers?.cancelTimers();
    this.#cancelKillWatch?.();
    this.#router.registry.remove(this, exit);
    const dismissed = this.#watchers?.dismiss();
    this.#watchers = undefined;
    const notice: Terminated = { type: 'terminated', actor: this.address, reason: exit.reason };
    for (const watcher of dismissed?.watchers ?? []) this.#router.notify(watcher, notice);
    this.#supervisor.released(this, exit);
    for (const listener of dismissed?.listeners ?? []) this.#notify(listener, exit);
    this.#supervisor.left(this, exit);
  }

  /** An inline activation is gone by now; only a thread may take longer. */
  #watchKill(): void {
    if (this.#state.status !== 'killing') return;
    this.#cancelKillWatch = this.#router.clock.after(unresponsiveAfterMs, () =>
      this.#apply({ type: 'kill_overdue' }),
    );
  }

  #withWatchers(): Watchers {
    this.#watchers ??= new Watchers();
    return this.#watchers;
  }

  #notify(listener: ExitListener, exit: Exit): void {
    try {
      listener(exit);
    } catch (error) {
      this.#supervisor.listenerFailed(this, error);
    }
  }

  #reportIdle(): void {
    if (!this.isReceiving) this.#supervisor.idle(this);
  }

  #setOpen(): void {
    const isOpen = mayTakeMail(this.#state, this.#hasSlot) && this.#suspensions === 0;
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen && this.#mail.queued > 0) this.#host?.wake();
  }

  #mailCame(): void {
    if (this.#isOpen) this.#host?.wake();
    this.#passivation?.mailCame();
  }

  #makePassivation(afterIdleMs: number | undefined): Passivation<Cell> {
    const apply = (event: CellEvent): void => this.#apply(event);
    const { clock } = this.#router;
    const supervisor = this.#supervisor;
    return new Passivation({ cell: this, mail: this.#mail, supervisor, clock, apply, afterIdleMs });
  }

  #isAccepting(): boolean {
    return takesMail(this.#state, () => this.#supervisor.isRestarting(this));
  }

  #refuse(envelope: Envelope): OfferResult {
    this.#mail.refuse(envelope, this.isOver ? 'terminated' : 'stopped');
    return 'dead';
  }
}
