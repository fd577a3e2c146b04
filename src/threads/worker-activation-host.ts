// Owns an activation on a slot, seen from the host: hands mail over within the credit window, applies what comes back,
// and settles everything when the thread dies (M4, S2, S7, V1).
import type { Envelope } from '../actor/envelope.ts';
import type { Exit } from '../actor/exit.ts';
import type { ActorHost, HostedCell, ReceiveResult } from '../actor/host.ts';
import type { CancelTimer } from '../base/clock.ts';
import { type Failure, failure, toFailure, unreachable } from '../base/failures.ts';
import { packMail } from '../protocol/packed-mail.ts';
import { activationFlags, sharedFlags } from '../protocol/shared-flags.ts';
import type { ActivationItem, FromThread } from '../protocol/worker-messages.ts';
import type { ActivationOptions, ModelConnection } from './activation-options.ts';
import { ActivationOrder, outOfTurn } from './activation-order.ts';
import { ActorRequests } from './actor-requests.ts';
import { exitOf, isEnd } from './exit-mapping.ts';
import { HostModelChannel } from './host-model-channel.ts';
import { type ServedLink, serveHost } from './rpc-server.ts';
import { startFailure, startOverdue } from './start-failure.ts';
import { startMessage } from './start-message.ts';
import { notForModels } from './thread-failure.ts';
import type { SlotUser, WorkerSlot } from './worker-slot.ts';

/** 64 for volatile actors (M4). */
export const defaultWindow = 64;

export class WorkerActivationHost implements ActorHost, SlotUser {
  readonly activation: number;
  readonly #cell: HostedCell;
  readonly #launch: ActivationOptions;
  readonly #requests: ActorRequests;
  readonly #order: ActivationOrder;
  /** Sequence numbers handed over and not settled, oldest first. */
  readonly #handed: number[] = [];
  /** Receives that the cell knows to be over, and returns of mail that it has seen. */
  #doneCount = 0;
  #returns = 0;
  #pendingControls: unknown[] = [];
  #slot: WorkerSlot | null = null;
  #cancelRequest: (() => void) | null = null;
  #link: ServedLink | null = null;
  #model: ModelConnection = { route: 'none' };
  #modelChannel: HostModelChannel | null = null;
  #cancelStartTimer: CancelTimer = () => {};
  #isWaking = false;
  #isKilled = false;
  #violation: Failure | null = null;
  #isOver = false;
  #isEnding = false;
  #keepsProcess = false;

  constructor(cell: HostedCell, launch: ActivationOptions) {
    this.activation = launch.pool.nextActivation();
    this.#cell = cell;
    this.#launch = launch;
    this.#order = new ActivationOrder(launch.target);
    this.#requests = new ActorRequests(cell, {
      router: launch.router,
      supervisor: launch.supervisor,
      activation: this.activation,
      post: (message) => this.#slot?.post(message),
    });
  }

  // --- ActorHost

  start(): void {
    const { pool, profile, moduleSet, target } = this.#launch;
    this.#keepProcess(true);
    this.#cancelRequest = pool.acquire({
      actor: this.#cell.address.id,
      profile,
      moduleSet,
      isBrief: target.type === 'tools',
      ready: (slot) => this.#slotAcquired(slot),
      failed: (cause) => {
        if (this.#isOver) return;
        this.#over();
        this.#cell.startFailed(cause);
      },
    });
    // The pool may have served the request within this call.
    if (this.#slot !== null) this.#cancelRequest = null;
  }

  wake(): void {
    if (this.#isWaking || this.#handed.length >= this.#launch.window) return;
    this.#isWaking = true;
    // Messages that arrive within one turn of the loop go over as one batch.
    process.nextTick(() => {
      this.#isWaking = false;
      this.#pull();
    });
  }

  interrupt(reason: string): void {
    if (this.#slot === null) return;
    // The flags are ahead of the thread's messages. Mail it has not begun comes back: the cell's intake is suspended.
    const receive = Atomics.load(this.#slot.sharedFlags, sharedFlags.startedSeq);
    if (receive <= Atomics.load(this.#slot.sharedFlags, sharedFlags.doneSeq)) return;
    // The flag reaches a loop that never returns to its port; the message aborts the signal (S2).
    Atomics.store(this.#slot.sharedFlags, sharedFlags.interruptSeq, receive);
    const model = this.#modelChannel?.abort() ?? [];
    this.#slot.post({ type: 'interrupt', activation: this.activation, receive, reason, model });
    this.#launch.onInterrupted?.(reason);
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
    this.#launch.onInterrupted?.(reason);
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
    if (this.#handed.length === 1 && this.#hasStarted()) return;
    // The flag overtakes the mail that is in the thread already; the message wakes a thread that has nothing to do.
    Atomics.store(this.#slot.sharedFlags, sharedFlags.takeBackActivation, this.activation);
    this.#slot.post({ type: 'take_back', activation: this.activation });
  }

  passivate(): void {
    this.#order.askedToPassivate();
    this.#slot?.post({
      type: 'passivate',
      activation: this.activation,
      keepsState: this.#launch.keepsState,
    });
  }

  control(message: unknown): void {
    if (this.#slot === null) this.#pendingControls.push(message);
    else this.#slot.post({ type: 'control', activation: this.activation, message });
  }

  // --- SlotUser

  received(message: FromThread): void {
    if (this.#isOver || this.#violation !== null) return;
    switch (message.type) {
      case 'batch':
        this.#isEnding = isEnd(message.items.at(-1));
        for (const item of message.items) {
          if (this.#order.admits(item)) this.#apply(item);
          else this.#violated(outOfTurn);
          if (this.#isOver || this.#violation !== null) return;
        }
        this.#requests.acknowledge();
        break;
      case 'link':
        this.#linked().receive(message.payload);
        break;
      case 'online':
      case 'pong':
      case 'fault':
        break;
      default:
        unreachable(message);
    }
  }

  exited(cause: Failure): void {
    if (this.#isOver) return;
    this.#acknowledgeDone();
    const inHand = this.#hasStarted() ? 'started' : 'not_started';
    this.#over();
    if (this.#slot !== null && !this.#isKilled) this.#launch.pool.failed(this.#slot, cause);
    const exit = this.#isKilled
      ? { reason: 'killed' as const, failure: failure('killed', 'the actor was killed') }
      : exitOf(this.#violation ?? cause);
    if (this.#order.isStarted || this.#isKilled) this.#cell.activationEnded(exit, inHand);
    else this.#cell.startFailed(startFailure(this.#launch, exit.failure ?? cause));
  }

  // --- inside

  #slotAcquired(slot: WorkerSlot): void {
    this.#cancelRequest = null;
    this.#slot = slot;
    slot.sharedFlags.fill(0, 0, activationFlags);
    Atomics.store(slot.sharedFlags, sharedFlags.activation, this.activation);
    slot.slot(this);
    this.#model = this.#launch.openModel?.() ?? { route: 'none' };
    this.#modelChannel = new HostModelChannel(this.#model, slot.sharedFlags, (message) => {
      if (!this.#isOver) slot.post({ type: 'model', activation: this.activation, message });
    });
    this.#launch.onSlotAcquired?.(slot);
    this.#limitStart(slot);
    this.#cell.slotAcquired();
    // What waits for the actor already goes over with its start: most activations need no second message.
    const batch = this.#takeBatch();
    try {
      this.#postStart(slot, batch);
    } catch (error) {
      this.#over();
      this.#launch.pool.release(slot, []);
      this.#cell.startFailed(toFailure(error, 'clone_failed'));
    }
  }

  #postStart(slot: WorkerSlot, batch: readonly Envelope[]): void {
    const { activation } = this;
    const [cell, launch, model] = [this.#cell, this.#launch, this.#model];
    const controls = this.#pendingControls.splice(0);
    const start = startMessage(slot, { activation, cell, launch, model, controls });
    try {
      slot.post({ ...start, mail: packMail(batch, this.#launch.router.clock) });
    } catch {
      // One of the messages cannot be cloned, or the start itself: that is what throws now.
      slot.post({ ...start, mail: [] });
      for (const envelope of batch) this.#postAlone(slot, envelope);
    }
  }

  /** An activation that never got a slot ends without one. */
  #leaveQueue(exit: Exit): void {
    if (this.#isOver) return;
    this.#over();
    this.#cancelRequest?.();
    this.#cell.activationEnded(exit, 'not_started');
  }

  /** Takes as many messages as the window allows. */
  #takeBatch(): readonly Envelope[] {
    const batch: Envelope[] = [];
    while (this.#handed.length < this.#launch.window) {
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
    this.#keepProcess(true);
    try {
      this.#postMail(this.#slot, batch);
    } catch {
      // One of them could not be cloned: each goes alone, so that only the culprit is lost (M6).
      for (const envelope of batch) this.#postAlone(this.#slot, envelope);
    }
  }

  #postMail(slot: WorkerSlot, batch: readonly Envelope[]): void {
    const mail = packMail(batch, this.#launch.router.clock);
    slot.post({ type: 'mail', activation: this.activation, mail, returns: this.#returns });
  }

  #postAlone(slot: WorkerSlot, envelope: Envelope): void {
    try {
      this.#postMail(slot, [envelope]);
    } catch {
      this.#handed.splice(this.#handed.indexOf(envelope.seq), 1);
      this.#cell.undeliverable(envelope.seq);
      this.#keepProcess(!this.#order.isStarted || this.#handed.length > 0);
      // It used a place in the window that no receive will free.
      this.wake();
    }
  }

  #apply(item: ActivationItem): void {
    if (typeof item === 'number') {
      this.#acknowledge(item, 'processed');
      return;
    }
    switch (item.t) {
      case 'started':
        this.#cancelStartTimer();
        this.#keepProcess(this.#handed.length > 0);
        this.#cell.started();
        break;
      case 'start_failed':
        this.#startFailed(startFailure(this.#launch, item.failure));
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
        if (this.#modelChannel?.ask(item.message, this.#doneCount) === false)
          this.#violated(notForModels);
        break;
      case 'ended':
        this.#end(
          () => this.#cell.activationEnded(item.exit, item.inHand),
          item.leaks,
          item.exit.failure,
        );
        break;
      case 'parked':
        this.#end(() => this.#cell.parked(), item.leaks);
        break;
      case 'passivated':
        this.#end(() => this.#cell.passivation.gaveUp(item.kept), item.leaks);
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
    this.#doneCount += count;
    for (let left = count; left > 0; left -= 1) {
      this.#handed.shift();
      this.#cell.acknowledge(result, cause);
    }
    this.#keepProcess(this.#handed.length > 0);
    this.wake();
  }

  #startFailed(cause: Failure): void {
    this.#end(() => this.#cell.startFailed(cause), [], cause);
  }

  /** Code that is being loaded may wait for ever, or spin: nothing was started, so its thread's exit is not awaited. */
  #limitStart(slot: WorkerSlot): void {
    const { router, moduleSet, startTimeoutMs } = this.#launch;
    if (startTimeoutMs === undefined || moduleSet === '') return;
    this.#cancelStartTimer = router.clock.after(startTimeoutMs, () => {
      slot.kill();
      this.#startFailed(startOverdue(this.#cell.address.path, this.#launch, startTimeoutMs));
    });
  }

  /** What was on its way when the thread returned its mail comes back as well: the thread will not take it. */
  #takeReturned(kept: number): void {
    this.#returns += 1;
    const count = this.#handed.splice(kept).length;
    // An interrupt may have been meant for a receive that did not begin after all.
    if (kept === 0 && this.#slot !== null)
      Atomics.store(this.#slot.sharedFlags, sharedFlags.interruptSeq, 0);
    if (this.#order.isStarted) this.#keepProcess(this.#handed.length > 0);
    this.#cell.returned(count);
  }

  /** Releases the slot before the cell reports, so that the code that this wakes finds it free. */
  #end(report: () => void, leaks: readonly string[], fault?: Failure): void {
    const slot = this.#slot;
    this.#acknowledgeDone();
    this.#over();
    if (slot !== null && fault !== undefined) this.#launch.pool.failed(slot, fault);
    if (slot !== null) this.#launch.pool.release(slot, leaks);
    report();
  }

  #keepProcess(keepsProcess: boolean): void {
    if (keepsProcess === this.#keepsProcess) return;
    this.#keepsProcess = keepsProcess;
    if (keepsProcess) this.#launch.processRef.enter();
    else this.#launch.processRef.leave();
  }

  #over(): void {
    this.#isOver = true;
    this.#cancelStartTimer();
    this.#keepProcess(false);
    this.#requests.close();
    this.#link?.close(failure('activation_ended', `${this.#cell.address.path} has ended`));
  }

  /** Receives that the flags count as done count as processed, although the thread could not report them (M4). */
  #acknowledgeDone(): void {
    if (this.#slot === null) return;
    const done = Atomics.load(this.#slot.sharedFlags, sharedFlags.doneSeq);
    for (; this.#doneCount < done && this.#handed.length > 0; this.#doneCount += 1) {
      this.#handed.shift();
      this.#cell.acknowledge('processed');
    }
  }

  #hasStarted(): boolean {
    if (this.#slot === null || this.#handed.length === 0) return false;
    return Atomics.load(this.#slot.sharedFlags, sharedFlags.startedSeq) > this.#doneCount;
  }

  #linked(): ServedLink {
    this.#link ??= serveHost(this.#launch.services, {
      post: (payload) => {
        if (!this.#isOver) this.#slot?.post({ type: 'link', activation: this.activation, payload });
      },
      violated: (cause) => this.#violated(cause),
    });
    return this.#link;
  }

  /** An activation that tries to reach past its services is ended as a crash; it settles when its thread is gone (S7). */
  #violated(cause: Failure): void {
    if (this.#isOver || this.#violation !== null) return;
    this.#violation = cause;
    this.#slot?.kill();
  }
}
