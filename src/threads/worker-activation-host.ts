// Owns an activation on a slot, seen from the host: hands mail over within the credit window, applies what comes back,
// and settles everything when the thread dies (M4, S2, S7, V1).
import type { Envelope } from '../actor/envelope.ts';
import type { Exit } from '../actor/exit.ts';
import type { ActorHost, HostedCell, ReceiveResult } from '../actor/host.ts';
import type { CancelTimer } from '../base/clock.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { exitOf } from '../protocol/crash.ts';
import { serviceInputs } from '../protocol/host-service-schema.ts';
import { packMail } from '../protocol/packed-mail.ts';
import { sharedFlags } from '../protocol/shared-flags.ts';
import type {
  ActivationItem,
  FromActivation,
  StartMessage,
  ToThread,
} from '../protocol/worker-messages.ts';
import type { ActivationOptions } from './activation-options.ts';
import { ActivationOrder, outOfTurn } from './activation-order.ts';
import { ActorRequests } from './actor-requests.ts';
import { HostModelChannel } from './host-model-channel.ts';
import type { ModelConnection } from './model-connection.ts';
import { RpcServer } from './rpc-server.ts';
import { startFailure, startOverdue } from './start-failure.ts';
import type { SlotUser, WorkerSlot } from './worker-slot.ts';

/** 64 for volatile actors (M4). */
export const defaultWindow = 64;

/** Ends a thread that sent its model, on whichever port, what is no message to a model. */
const notForModels = failure('protocol_violation', 'a thread sent its model no valid request');

export class WorkerActivationHost implements ActorHost, SlotUser {
  readonly activation: number;
  readonly actor: string;
  readonly options: ActivationOptions;
  readonly #cell: HostedCell;
  readonly #requests: ActorRequests;
  readonly #order: ActivationOrder;
  /** Sequence numbers handed over and not settled, oldest first. */
  readonly #handed: number[] = [];
  /** Receives that the cell knows to be over, and returns of mail that it has seen. */
  #doneCount = 0;
  #returns = 0;
  #pendingControls: unknown[] = [];
  #slot: WorkerSlot | null = null;
  #rpcServer: RpcServer<typeof serviceInputs> | null = null;
  /** Null unless its model runs on the host. */
  #model: HostModelChannel | null = null;
  #cancelStartTimer: CancelTimer = () => {};
  #isWaking = false;
  #isKilled = false;
  #violation: Failure | null = null;
  #isOver = false;
  #isEnding = false;
  #keepsProcess = false;

  constructor(cell: HostedCell, options: ActivationOptions) {
    this.activation = options.pool.nextActivation();
    this.actor = cell.address.id;
    this.options = options;
    this.#cell = cell;
    this.#order = new ActivationOrder(options.target);
    this.#requests = new ActorRequests(cell, options.kernel, this);
  }

  // --- ActorHost

  start(): void {
    this.#keepProcess();
    this.options.pool.acquire(this);
  }

  wake(): void {
    if (this.#isWaking || this.#handed.length >= this.options.window) return;
    this.#isWaking = true;
    // Messages that arrive within one turn of the loop go over as one batch.
    process.nextTick(() => {
      this.#isWaking = false;
      this.#pull();
    });
  }

  interrupt(reason: string): void {
    if (this.#slot === null) return;
    // The flag is ahead of the thread's messages, and reaches a loop that never returns to its port; the message aborts the signal (S2).
    const receive = this.#slot.raiseInterrupt(this.#handed.length);
    // Mail it has not begun comes back: the cell's intake is suspended.
    if (receive === null) return;
    const model = this.#model?.abort() ?? [];
    this.#slot.post({ type: 'interrupt', activation: this.activation, receive, reason, model });
    this.options.onInterrupted?.(reason);
  }

  stop(reason: string): void {
    if (this.#slot === null) {
      this.#leaveQueue({ reason: 'stopped' });
      return;
    }
    // Its own end came in the batch that is being read: it needs no stop.
    if (this.#isEnding) return;
    Atomics.store(this.#slot.sharedFlags, sharedFlags.stopActivation, this.activation);
    this.#slot.post({ type: 'stop', activation: this.activation, reason });
    this.options.onInterrupted?.(reason);
  }

  kill(): void {
    if (this.#slot === null) {
      this.#leaveQueue({ reason: 'killed' });
      return;
    }
    this.#isKilled = true;
    this.#slot.kill();
  }

  takeBack(): void {
    if (this.#slot === null || this.#handed.length === 0) return;
    // The one message it has is being processed: nothing can come back.
    if (this.#handed.length === 1 && !this.#slot.isBehind && this.#hasStarted()) return;
    // The flag overtakes the mail that is in the thread already; the message wakes a thread that has nothing to do.
    Atomics.store(this.#slot.sharedFlags, sharedFlags.takeBackActivation, this.activation);
    this.#slot.post({ type: 'take_back', activation: this.activation });
  }

  passivate(): void {
    this.#order.askedToPassivate();
    this.post({ type: 'passivate', activation: this.activation });
  }

  control(message: unknown): void {
    if (this.#slot === null) this.#pendingControls.push(message);
    else this.post({ type: 'control', activation: this.activation, message });
  }

  // --- SlotUser

  slotAcquired(slot: WorkerSlot): void {
    this.#slot = slot;
    this.#limitStart(slot);
    this.#cell.slotAcquired();
    try {
      // A model of the program may throw as it is opened.
      const model = this.options.onSlotAcquired?.(slot) ?? null;
      if (model?.route === 'host') {
        this.#model = new HostModelChannel(model, slot.sharedFlags, this);
      }
      // What waits for the actor already goes over with its start: most activations need no second message.
      this.#postStart(slot, model, this.#takeBatch());
    } catch (error) {
      this.#end([]);
      this.#cell.startFailed(toFailure(error, 'clone_failed'));
    }
  }

  refused(cause: Failure): void {
    if (this.#isOver) return;
    this.#over();
    this.#cell.startFailed(cause);
  }

  received(message: FromActivation): void {
    if (this.#isOver || this.#violation !== null) return;
    if (message.type === 'link') {
      this.#services().receive(message.payload);
      return;
    }
    const last = message.items.at(-1);
    this.#isEnding = typeof last === 'object' && last.t === 'ended';
    for (const item of message.items) {
      if (this.#order.admits(item)) this.#apply(item);
      else this.#violated(outOfTurn);
      if (this.#isOver || this.#violation !== null) return;
    }
    this.#requests.acknowledge();
  }

  exited(cause: Failure): void {
    if (this.#isOver) return;
    this.#acknowledgeDone();
    const inHand = this.#hasStarted() ? 'started' : 'not_started';
    this.#over();
    if (this.#slot !== null && !this.#isKilled) this.options.pool.failed(this.#slot, cause);
    const exit = this.#isKilled
      ? { reason: 'killed' as const, failure: failure('killed', 'the actor was killed') }
      : exitOf(this.#violation ?? cause);
    if (this.#order.isStarted || this.#isKilled) this.#cell.activationEnded(exit, inHand);
    // A thread that has served had loaded the modules: the fault is not theirs.
    else if (this.#slot?.hasServed) this.#cell.startFailed(exit.failure ?? cause);
    else this.#cell.startFailed(startFailure(this.options, exit.failure ?? cause));
  }

  // --- inside
  /** Drops what comes when the activation is over. Throws what cannot be cloned. */
  post(message: ToThread): void {
    if (!this.#isOver) this.#slot?.post(message);
  }

  #postStart(slot: WorkerSlot, model: ModelConnection | null, batch: readonly Envelope[]): void {
    const { isSpent } = slot;
    // Until it is posted the thread lacks what it was to keep.
    slot.isSpent = true;
    if (model?.route === 'gateway') slot.connectGateway(model, notForModels);
    const { kernel, target, args } = this.options;
    const { address, incarnation, snapshot, kept } = this.#cell;
    const start: Omit<StartMessage, 'mail'> = {
      type: 'start',
      activation: this.activation,
      token: model?.token ?? '',
      ...{ address, incarnation, snapshot, kept },
      controls: this.#pendingControls.splice(0),
      target,
      args: args(),
      ...slot.kept.partsOf(this.actor, this.options),
      modelRoute: model === null ? 'none' : model.route,
    };
    try {
      slot.post({ ...start, mail: packMail(batch, kernel.router.clock) });
    } catch {
      // One of the messages cannot be cloned, or the start itself: that is what throws now.
      slot.post({ ...start, mail: [] });
      this.#hand(slot, batch);
    }
    slot.isSpent = isSpent;
  }

  /** An activation that never got a slot ends without one. */
  #leaveQueue(exit: Exit): void {
    if (this.#isOver) return;
    this.#over();
    this.options.pool.cancel(this);
    this.#cell.activationEnded(exit, 'not_started');
  }

  /** Takes as many messages as the window allows. */
  #takeBatch(): readonly Envelope[] {
    const batch: Envelope[] = [];
    while (this.#handed.length < this.options.window) {
      const envelope = this.#cell.take();
      if (envelope === null) break;
      this.#handed.push(envelope.seq);
      batch.push(envelope);
    }
    return batch;
  }

  #pull(): void {
    if (this.#isOver || this.#slot === null) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#keepProcess();
    this.#hand(this.#slot, batch);
  }

  #hand(slot: WorkerSlot, batch: readonly Envelope[]): void {
    try {
      const mail = packMail(batch, this.options.kernel.router.clock);
      slot.post({ type: 'mail', activation: this.activation, mail, returns: this.#returns });
    } catch {
      // One of them could not be cloned: each goes alone, so that only the culprit is lost (M6).
      if (batch.length > 1) for (const envelope of batch) this.#hand(slot, [envelope]);
      else for (const envelope of batch) this.#lose(envelope);
    }
  }

  #lose({ seq }: Envelope): void {
    this.#handed.splice(this.#handed.indexOf(seq), 1);
    this.#cell.undeliverable(seq);
    this.#keepProcess();
    // It used a place in the window that no receive will free.
    this.wake();
  }

  #apply(item: ActivationItem): void {
    if (typeof item === 'number') {
      this.#acknowledge(item, 'processed');
      return;
    }
    switch (item.t) {
      case 'started':
        this.#cancelStartTimer();
        this.#keepProcess();
        this.#cell.started();
        break;
      case 'start_failed':
        this.#startFailed(startFailure(this.options, item.failure));
        break;
      case 'settled':
        this.#acknowledge(1, item.result, item.failure);
        break;
      case 'returned':
        this.#takeReturned(item.kept);
        break;
      case 'unstash':
        this.#cell.unstash();
        break;
      case 'reply':
        this.#cell.reply(item.askId, item.value);
        break;
      case 'fail':
        this.#cell.failAsk(item.askId, item.failure);
        break;
      case 'commit':
        this.#cell.commit(item.snapshot);
        break;
      case 'event':
        this.#cell.publish(item.event);
        break;
      case 'model':
        if (this.#model?.ask(item.message, this.#doneCount) === false) this.#violated(notForModels);
        break;
      case 'ended':
        this.#end(item.leaks, item.exit.failure);
        this.#cell.activationEnded(item.exit, item.inHand);
        break;
      case 'parked':
        this.#end(item.leaks);
        this.#cell.parked();
        break;
      case 'passivated':
        this.#end(item.leaks);
        this.#cell.passivation.gaveUp(item.kept);
        break;
      case 'stayed':
        this.#cell.passivation.stayedLive(item.failure ?? null);
        break;
      default:
        this.#requests.perform(item);
    }
  }

  #acknowledge(count: number, result: ReceiveResult, cause?: Failure): void {
    if (count > this.#handed.length) {
      this.#violated(failure('protocol_violation', 'a thread settled more than it was handed'));
      return;
    }
    this.#settle(count, result, cause);
    this.#keepProcess();
    this.wake();
  }

  #startFailed(cause: Failure): void {
    this.#end([], cause);
    this.#cell.startFailed(cause);
  }

  /** Code that is being loaded may wait for ever, or spin: nothing was started, so its thread's exit is not awaited. */
  #limitStart(slot: WorkerSlot): void {
    const { kernel, moduleSet, startTimeoutMs } = this.options;
    if (startTimeoutMs === undefined || moduleSet === '') return;
    this.#cancelStartTimer = kernel.router.clock.after(startTimeoutMs, () => {
      slot.kill();
      this.#startFailed(startOverdue(this.#cell.address.path, this.options, startTimeoutMs));
    });
  }

  #settle(count: number, result: ReceiveResult, cause?: Failure): void {
    this.#doneCount += count;
    for (let left = count; left > 0; left -= 1) {
      this.#handed.shift();
      this.#cell.acknowledge(result, cause);
    }
  }

  /** What was on its way when the thread returned its mail comes back as well: the thread will not take it. */
  #takeReturned(kept: number): void {
    this.#returns += 1;
    const count = this.#handed.splice(kept).length;
    // An interrupt may have been meant for a receive that did not begin after all.
    if (kept === 0 && this.#slot !== null)
      Atomics.store(this.#slot.sharedFlags, sharedFlags.interruptSeq, 0);
    this.#keepProcess();
    this.#cell.returned(count);
  }

  /** Releases the slot. The cell reports after that, so that the code that this wakes finds it free. */
  #end(leaks: readonly string[], fault?: Failure): void {
    const slot = this.#slot;
    this.#acknowledgeDone();
    this.#over();
    if (slot !== null && fault !== undefined) this.options.pool.failed(slot, fault);
    if (slot !== null) this.options.pool.release(slot, leaks);
  }

  /** The process stays alive while the activation starts or has mail. */
  #keepProcess(): void {
    const keepsProcess = !this.#isOver && (!this.#order.isStarted || this.#handed.length > 0);
    if (keepsProcess === this.#keepsProcess) return;
    this.#keepsProcess = keepsProcess;
    const { processRef } = this.options.kernel;
    if (keepsProcess) processRef.enter();
    else processRef.leave();
  }

  #over(): void {
    this.#isOver = true;
    this.#cancelStartTimer();
    this.#keepProcess();
    this.#rpcServer?.close(failure('activation_ended', `${this.#cell.address.path} has ended`));
  }

  /** Receives that the flags count as done count as processed, although the thread could not report them (M4). */
  #acknowledgeDone(): void {
    if (this.#slot === null) return;
    const done = Atomics.load(this.#slot.sharedFlags, sharedFlags.doneSeq);
    const unreported = Math.min(done - this.#doneCount, this.#handed.length);
    if (unreported > 0) this.#settle(unreported, 'processed');
  }

  #hasStarted(): boolean {
    if (this.#slot === null || this.#handed.length === 0) return false;
    // What may have begun is not handed over a second time.
    const { isBehind, sharedFlags: flags } = this.#slot;
    return isBehind || Atomics.load(flags, sharedFlags.startedSeq) > this.#doneCount;
  }

  #services(): RpcServer<typeof serviceInputs> {
    this.#rpcServer ??= new RpcServer(serviceInputs, this.options.services ?? {}, {
      post: (payload) => this.post({ type: 'link', activation: this.activation, payload }),
      violated: (cause) => this.#violated(cause),
    });
    return this.#rpcServer;
  }

  /** An activation that tries to reach past its services is ended as a crash; it settles when its thread is gone (S7). */
  #violated(cause: Failure): void {
    if (this.#isOver || this.#violation !== null) return;
    this.#violation = cause;
    this.#slot?.kill();
  }
}
