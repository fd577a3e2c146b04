// Owns one actor on the host's side: its lifecycle, its current life, its watchers. Performs what `lifecycle.ts`
// decides. Leaves out who restarts it (its guardian), its mail (its mail room), where its lives run (its host).
import type { CancelTimer } from '../clock.ts';
import type { Failure } from '../errors.ts';
import type { Address } from './address.ts';
import type { OfferResult } from './behavior.ts';
import type { Envelope } from './envelope.ts';
import type { Exit, ExitReason, Terminated } from './exit.ts';
import { type ExitListener, Followers } from './followers.ts';
import type { Guardian } from './guardian.ts';
import type { ActorHost, HostedCell, Launch, ReceiveResult } from './host.ts';
import {
  type CellEffect,
  type CellEvent,
  type CellState,
  isOver,
  transition,
} from './lifecycle.ts';
import { MailRoom, type OfferWait } from './mail-room.ts';
import type { MailboxLimits } from './mailbox.ts';
import { toPlain } from './plain.ts';
import type { PostOffice } from './post-office.ts';

export type CellOptions = {
  readonly address: Address;
  readonly office: PostOffice;
  readonly guardian: Guardian;
  readonly launch: Launch;
  readonly mailbox: MailboxLimits;
};

const firstState: CellState = { status: 'starting', isPaused: false };

/** How long after a kill a host may still be there before the cell is wedged (S7). */
export const wedgedAfterMs = 10_000;

export class Cell implements HostedCell {
  readonly address: Address;
  /** What the guardian keeps with this cell; nobody else touches it. */
  attachment: unknown = undefined;
  readonly #office: PostOffice;
  readonly #guardian: Guardian;
  readonly #mail: MailRoom;
  #launch: Launch;
  #host: ActorHost | null = null;
  #state: CellState = firstState;
  #incarnation = 0;
  #snapshot: unknown = undefined;
  #isOpen = false;
  #isSeated = false;
  #freezes = 0;
  #lastResult: ReceiveResult | null = null;
  #followers: Followers | undefined;
  #cancelKillWatch: CancelTimer | undefined;

  constructor(options: CellOptions) {
    this.address = options.address;
    this.#office = options.office;
    this.#guardian = options.guardian;
    this.#launch = options.launch;
    this.#mail = new MailRoom(options.address, options.office, options.mailbox);
  }

  get state(): CellState {
    return this.#state;
  }

  get incarnation(): number {
    return this.#incarnation;
  }

  get snapshot(): unknown {
    return this.#snapshot;
  }

  /** Accepted and unsettled messages: queued, in flight, stashed. */
  get pending(): number {
    return this.#mail.pending;
  }

  get queued(): number {
    return this.#mail.queued;
  }

  get isReceiving(): boolean {
    return this.#mail.inFlight > 0;
  }

  /** True while the behaviour's own code runs and no message can be handed over: a start or a receive. */
  get isBusy(): boolean {
    return this.#mail.inFlight > 0 || this.#state.status === 'starting';
  }

  get isOver(): boolean {
    return isOver(this.#state);
  }

  /** How the last receive ended; null before the first. For receipts (S9). */
  get lastResult(): ReceiveResult | null {
    return this.#lastResult;
  }

  // --- what guardians and refs call

  /** Starts the first life. */
  open(): void {
    this.#perform('launch');
  }

  restart(): void {
    this.#apply({ type: 'restart' });
  }

  /** Ends a cell whose life is over; `exit` is what its watchers learn. */
  finish(exit: Exit): void {
    this.#apply({ type: 'finish', exit });
  }

  /** Continues a parked cell in a life made by `launch` (V7). */
  activate(launch: Launch): void {
    this.#launch = launch;
    this.#apply({ type: 'activate' });
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
  }

  /** Hands the behaviour's own code a control message, ahead of its mail. */
  control(message: unknown): void {
    this.#host?.control(message);
  }

  /** Refuses new receives until as many `thaw`s came: the first step of a tree interrupt (S4). */
  freeze(): void {
    this.#freezes += 1;
    this.#setOpen();
    this.#host?.takeBack();
  }

  thaw(): void {
    this.#freezes -= 1;
    this.#setOpen();
  }

  /** Calls `listener` once when the cell is over, at once if it is (V5). */
  onExit(listener: ExitListener): () => void {
    const over = this.#exitIfOver();
    if (over !== null) {
      this.#notify(listener, over);
      return () => {};
    }
    return this.#withFollowers().listen(listener);
  }

  addWatcher(watcher: Address): void {
    this.#withFollowers().watch(watcher);
  }

  removeWatcher(watcher: Address): void {
    this.#followers?.unwatch(watcher);
  }

  // --- the door

  deliver(envelope: Envelope): OfferResult {
    if (!this.#isAccepting()) return this.#refuse(envelope);
    const result = this.#mail.admit(envelope);
    if (this.#isOpen && result === 'accepted') this.#host?.wake();
    return result;
  }

  deliverNotice(envelope: Envelope): void {
    if (!this.#isAccepting()) {
      this.#refuse(envelope);
      return;
    }
    this.#mail.admitNotice(envelope);
    if (this.#isOpen) this.#host?.wake();
  }

  /** Waits for room, behind those who wait already. */
  async offer(envelope: Envelope, wait: OfferWait): Promise<OfferResult> {
    if (!this.#isAccepting()) return this.#refuse(envelope);
    if (this.#mail.hasRoomNow(envelope.bytes)) return this.deliver(envelope);
    return this.#mail.waitForRoom(envelope, wait, () => {
      if (this.#isOpen) this.#host?.wake();
    });
  }

  // --- what the host calls

  /** The life has its place: mail may be handed over ahead of `started`, and comes back if it never starts. */
  seated(): void {
    this.#isSeated = true;
    this.#setOpen();
  }

  take(): Envelope | null {
    return this.#isOpen ? this.#mail.take() : null;
  }

  started(): void {
    this.#office.asks.receiveEnded(this.address.id);
    this.#apply({ type: 'started' });
    this.#guardian.started(this);
  }

  startFailed(cause: Failure): void {
    this.#mail.giveBackAll();
    this.#office.asks.receiveEnded(this.address.id);
    this.#host = null;
    this.#cancelKillWatch?.();
    this.#apply({ type: 'start_failed', failure: cause });
  }

  settled(result: ReceiveResult, cause?: Failure): void {
    this.#mail.settle(result, cause);
    this.#lastResult = result;
    if (this.#freezes > 0) this.#reportIdle();
  }

  undeliverable(seq: number): void {
    this.#mail.lose(seq);
    if (this.#freezes > 0) this.#reportIdle();
  }

  returned(count: number): void {
    this.#mail.giveBack(count);
    if (this.#freezes > 0) this.#reportIdle();
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
    this.#snapshot = snapshot;
  }

  publish(note: unknown): void {
    this.#guardian.published(this, note);
  }

  startTimer(delayMs: number, message: unknown, onFired?: () => void): CancelTimer {
    // Walked now: when the timer fires there is nobody left to throw at (M6).
    const { value } = toPlain(message);
    return this.#withFollowers().addTimer((fired) =>
      this.#office.clock.after(delayMs, () => {
        fired();
        onFired?.();
        this.#office.tell(this.address, this.address, value);
      }),
    );
  }

  lifeEnded(exit: Exit, inHand: 'started' | 'not_started'): void {
    if (inHand === 'started') {
      this.#mail.settle('crashed', exit.failure);
      this.#lastResult = 'crashed';
    }
    this.#mail.giveBackAll();
    this.#mail.failOpenAsks(exit);
    this.#host = null;
    this.#cancelKillWatch?.();
    this.#apply({ type: 'life_ended', exit });
    // An interrupt that only wanted the receive to end has what it wanted, also by a crash.
    if (this.#freezes > 0) this.#reportIdle();
  }

  parked(): void {
    this.#mail.giveBackAll();
    this.#host = null;
    // How an earlier receive ended says nothing about the one that waits here.
    this.#lastResult = null;
    this.#apply({ type: 'parked' });
    if (this.#state.status === 'parked') this.#guardian.parked(this);
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
        // An inline life is gone by now; only a thread can take its time.
        if (this.#state.status !== 'killing') break;
        this.#cancelKillWatch = this.#office.clock.after(wedgedAfterMs, () =>
          this.#apply({ type: 'kill_overdue' }),
        );
        break;
      case 'report_exit':
        if (this.#state.status === 'ended') this.#guardian.lifeEnded(this, this.#state.exit);
        break;
      case 'launch':
        this.#incarnation += 1;
        this.#isSeated = false;
        this.#mail.unstash();
        this.#host = this.#launch(this);
        this.#host.start();
        break;
      case 'release':
        this.#release();
        break;
      case 'report_wedged':
        this.#guardian.wedged(this);
        break;
      case 'report_gone':
        this.#guardian.gone(this);
        break;
    }
  }

  #release(): void {
    const exit = this.#exitIfOver() ?? { reason: 'stopped' };
    this.#setOpen();
    this.#mail.close(exit);
    this.#followers?.cancelTimers();
    this.#cancelKillWatch?.();
    this.#office.registry.remove(this, exit);
    const told = this.#followers?.dismiss();
    this.#followers = undefined;
    const notice: Terminated = { type: 'terminated', actor: this.address, reason: exit.reason };
    for (const watcher of told?.watchers ?? []) this.#office.notify(watcher, notice);
    this.#guardian.released(this, exit);
    for (const listener of told?.listeners ?? []) this.#notify(listener, exit);
    this.#guardian.left(this, exit);
  }

  #withFollowers(): Followers {
    this.#followers ??= new Followers();
    return this.#followers;
  }

  #notify(listener: ExitListener, exit: Exit): void {
    try {
      listener(exit);
    } catch (error) {
      this.#guardian.listenerFailed(this, error);
    }
  }

  #exitIfOver(): Exit | null {
    switch (this.#state.status) {
      case 'stopped':
        return this.#state.exit;
      case 'wedged':
        return { reason: 'wedged' };
      default:
        return null;
    }
  }

  #reportIdle(): void {
    if (this.#mail.inFlight === 0) this.#guardian.idle(this);
  }

  #setOpen(): void {
    const { status } = this.#state;
    const hasLife =
      status === 'running' || (status === 'starting' && this.#isSeated && !this.#state.isPaused);
    const isOpen = hasLife && this.#freezes === 0;
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen && this.#mail.queued > 0) this.#host?.wake();
  }

  #isAccepting(): boolean {
    switch (this.#state.status) {
      case 'stopping':
      case 'killing':
        return this.#guardian.isRestarting(this);
      case 'stopped':
      case 'wedged':
        return false;
      default:
        return true;
    }
  }

  #refuse(envelope: Envelope): OfferResult {
    this.#mail.refuse(envelope, this.isOver ? 'terminated' : 'stopped');
    return 'dead';
  }
}
