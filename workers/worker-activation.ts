// Owns one activation inside a thread: its share of the mail, its outbox, its calls to the host. An `ActivationHost`.

import { Activation } from '../src/actor/activation.ts';
import type { ActivationHost, Handed } from '../src/actor/activation-host.ts';
import type { Address } from '../src/actor/address.ts';
import type { AskOptions, Behavior, ChildOptions, OfferResult } from '../src/actor/behavior.ts';
import type { ReportedExit } from '../src/actor/exit.ts';
import type { ReceiveResult } from '../src/actor/host.ts';
import { toSerializable } from '../src/actor/serializable.ts';
import { processTime } from '../src/base/clock.ts';
import { type Failure, failure, TroupeError, toFailure } from '../src/base/failures.ts';
import { nextTurn } from '../src/base/next-turn.ts';
import type { ToGateway } from '../src/protocol/model-messages.ts';
import { type HandedOver, type PackedMail, unpackMail } from '../src/protocol/packed-mail.ts';
import { sharedFlags } from '../src/protocol/shared-flags.ts';
import {
  type ActivationItem,
  type FromThread,
  largestBatch,
  type ToThread,
} from '../src/protocol/worker-messages.ts';
import { answerPassivate } from './answer-passivate.ts';
import { checkAddress, checkDelay, outboundFailure } from './outbound-checks.ts';

type Start = Extract<ToThread, { type: 'start' }>;
type PendingCall = { readonly settle: (value: unknown) => void; readonly fail: (e: Error) => void };

const maxUnadmitted = 256;
const maxUnadmittedBytes = 4 * 1024 * 1024;
/** Receives in one go before the thread looks at its port again. */
const receivesPerPump = 64;
/** Half of the window of volatile actors (M4). */
const earlyCredit = 32;

export type WorkerActivationOptions = {
  readonly start: Start;
  readonly sharedFlags: Int32Array;
  readonly post: (message: FromThread) => void;
  /** What the activation left behind in the thread; empty when the slot may be used again. */
  readonly findLeaks: () => readonly string[];
  readonly onEnded: () => void;
};

export class WorkerActivation implements ActivationHost {
  readonly id: number;
  readonly #options: WorkerActivationOptions;
  readonly #sharedFlags: Int32Array;
  readonly #mail: HandedOver[] = [];
  readonly #calls = new Map<number, PendingCall>();
  #activation: Activation | null = null;
  /** What came while the module was being loaded. */
  readonly #early: unknown[] = [];
  /** Receives begun, and returns of mail sent. */
  #begun = 0;
  #returns = 0;
  #items: ActivationItem[] = [];
  #isFlushing = false;
  #lastCallId = 0;
  /** Bytes of the tells that the host has not admitted or refused yet, oldest first, and their sum (M5). */
  readonly #unadmitted: number[] = [];
  #unadmittedBytes = 0;
  #isEnded = false;
  #isPumping = false;

  constructor(options: WorkerActivationOptions) {
    this.id = options.start.activation;
    this.#options = options;
    this.#sharedFlags = options.sharedFlags;
    this.#queue(options.start.mail);
    this.#early.push(...options.start.controls);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  begin(behavior: Behavior, args: unknown): void {
    if (Atomics.load(this.#sharedFlags, sharedFlags.stopActivation) === this.id) {
      // Stopped before any of its code ran: there is nothing to clean up.
      this.ended({ reason: 'normal' }, 'not_started');
      return;
    }
    const { address, incarnation, snapshot, kept } = this.#options.start;
    const activation = new Activation(behavior, this, { address, incarnation, snapshot });
    this.#activation = activation;
    for (const message of this.#early.splice(0)) activation.control(message);
    if (kept === null) activation.start(args);
    else activation.resume(kept.state);
  }

  // --- what the host sends

  receive(message: Exclude<ToThread, { type: 'start' | 'ping' | 'link' | 'model' }>) {
    switch (message.type) {
      case 'mail':
        // It crossed a return on the way: the host has taken it back.
        if (message.returns < this.#returns) break;
        this.#queue(message.mail);
        this.#pump();
        break;
      case 'interrupt':
        if (this.#begun === message.receive) this.#activation?.interrupt(message.reason);
        break;
      case 'stop':
        this.#activation?.stop(message.reason);
        break;
      case 'take_back':
        if (this.#mail.length > 0) this.#returnUnstarted();
        break;
      case 'passivate': {
        const isWaiting = this.#calls.size > 0 || this.#mail.length > 0;
        const { findLeaks, start } = this.#options;
        const keepsState = start.target.type !== 'agent';
        const answer = answerPassivate(this.#activation, { isWaiting, keepsState, findLeaks });
        if (answer.t === 'passivated') this.#finish(answer);
        else this.#add(answer);
        break;
      }
      case 'control':
        if (this.#activation === null) this.#early.push(message.message);
        else this.#activation.control(message.message);
        break;
      case 'answer':
        this.#takeCall(message.callId)?.settle(message.value);
        break;
      case 'answer_failed':
        this.#takeCall(message.callId)?.fail(TroupeError.from(message.failure));
        break;
      case 'admitted':
        for (const bytes of this.#unadmitted.splice(0, message.count)) {
          this.#unadmittedBytes -= bytes;
        }
        break;
    }
  }

  /** Gives the thread up in the middle of a receive; the supervisor has the run's record (V7). */
  park(leaks: readonly string[]): void {
    this.#finish({ t: 'parked', leaks });
  }

  // --- ActivationHost: mail

  take(): Handed | null {
    for (;;) {
      const handed = this.#begin();
      if (handed === null || handed.askId === 0 || handed.deadline > processTime()) return handed;
      this.acknowledge('expired');
    }
  }

  #begin(): HandedOver | null {
    const [handed] = this.#mail;
    if (
      handed === undefined ||
      Atomics.load(this.#sharedFlags, sharedFlags.stopActivation) === this.id
    )
      return null;
    // The claim comes before the check: a host that takes mail back after that sees the receive as begun.
    Atomics.store(this.#sharedFlags, sharedFlags.startedSeq, this.#begun + 1);
    if (Atomics.load(this.#sharedFlags, sharedFlags.takeBackActivation) === this.id) {
      Atomics.store(this.#sharedFlags, sharedFlags.startedSeq, this.#begun);
      this.#returnUnstarted();
      return null;
    }
    this.#begun += 1;
    this.#mail.shift();
    return handed;
  }

  started(): void {
    this.#add({ t: 'started' });
    this.#pump();
  }

  startFailed(cause: Failure): void {
    this.#finish({ t: 'start_failed', failure: outboundFailure(cause) });
  }

  acknowledge(result: ReceiveResult, cause?: Failure): void {
    // The counter alone would count a message that was not processed: the report reaches the host first.
    const isUnprocessed = result === 'stashed' || result === 'expired';
    if (!isUnprocessed) Atomics.store(this.#sharedFlags, sharedFlags.doneSeq, this.#begun);
    if (result === 'processed') this.#processed();
    else this.#add({ t: 'settled', result, failure: cause });
    if (isUnprocessed) {
      this.flush();
      Atomics.store(this.#sharedFlags, sharedFlags.doneSeq, this.#begun);
    }
    // An asynchronous receive ended outside of a pump: the next message waits for it.
    if (!this.#isPumping) queueMicrotask(() => this.#pump());
  }

  ended({ reason, failure: cause }: ReportedExit, inHand: 'started' | 'not_started'): void {
    const exit: ReportedExit =
      cause === undefined ? { reason } : { reason, failure: outboundFailure(cause) };
    this.#finish({ t: 'ended', exit, inHand, leaks: this.#options.findLeaks() });
  }

  unstash(): void {
    // What was handed over and not started came later than what was stashed: it goes back behind it.
    this.#returnUnstarted();
    this.#add({ t: 'unstash' });
    this.flush();
  }

  signalled(isReceiving: boolean): 'interrupted' | 'stopped' | null {
    if (Atomics.load(this.#sharedFlags, sharedFlags.stopActivation) === this.id) return 'stopped';
    const receive = isReceiving ? Atomics.load(this.#sharedFlags, sharedFlags.interruptSeq) : 0;
    return receive !== 0 && receive === this.#begun ? 'interrupted' : null;
  }

  // --- ActivationHost: effects

  reply(askId: number, value: unknown): void {
    this.#add({ t: 'reply', askId, value: toSerializable(value).value });
  }

  failAsk(askId: number, cause: Failure): void {
    this.#add({ t: 'fail', askId, failure: outboundFailure(cause) });
  }

  tell(to: Address, message: unknown): void {
    checkAddress(to);
    const { value, bytes } = toSerializable(message);
    const count = this.#unadmitted.length;
    if (count >= maxUnadmitted || this.#unadmittedBytes + bytes > maxUnadmittedBytes) {
      throw new TroupeError(
        'outbox_full',
        `${count} messages (${this.#unadmittedBytes} bytes) wait for admission; await an offer instead`,
        { retryable: true },
      );
    }
    this.#unadmitted.push(bytes);
    this.#unadmittedBytes += bytes;
    this.#add({ t: 'tell', to, message: value, bytes });
  }

  async offer(to: Address, message: unknown, options: AskOptions): Promise<OfferResult> {
    checkAddress(to);
    const timeoutMs = checkDelay(options?.timeoutMs, 'timeoutMs');
    const { value } = toSerializable(message);
    const result = await this.#call((callId) => ({
      t: 'offer',
      callId,
      to,
      message: value,
      timeoutMs,
    }));
    // The host answers an offer with one of its three results.
    return result as OfferResult;
  }

  ask(to: Address, message: unknown, options: AskOptions): Promise<unknown> {
    checkAddress(to);
    const { value } = toSerializable(message);
    // A missing or endless deadline is refused by the host; a finite number keeps the wire's shape.
    const given: unknown = options?.timeoutMs;
    const timeoutMs = typeof given === 'number' && Number.isFinite(given) ? given : 0;
    return this.#call((callId) => ({ t: 'ask', callId, to, message: value, timeoutMs }));
  }

  async spawn(module: string, options: ChildOptions): Promise<Address> {
    const plain = { ...options, args: toSerializable(options.args).value };
    const address = await this.#call((callId) => ({ t: 'spawn', callId, module, options: plain }));
    // The host answers a spawn with the child's address.
    return address as Address;
  }

  stopActor(actor: Address): void {
    checkAddress(actor);
    this.#add({ t: 'stop', actor });
  }

  watch(actor: Address): void {
    checkAddress(actor);
    this.#add({ t: 'watch', actor });
  }

  unwatch(actor: Address): void {
    checkAddress(actor);
    this.#add({ t: 'unwatch', actor });
  }

  after(delayMs: number, message: unknown): () => void {
    checkDelay(delayMs, 'delayMs');
    this.#lastCallId += 1;
    const timerId = this.#lastCallId;
    this.#add({ t: 'timer', timerId, delayMs, message: toSerializable(message).value });
    return () => {
      if (!this.#isEnded) this.#add({ t: 'timer_off', timerId });
    };
  }

  commit(snapshot: unknown): void {
    this.#add({ t: 'commit', snapshot: toSerializable(snapshot).value });
  }

  publish(event: unknown): void {
    this.#add({ t: 'event', event });
  }

  askModel(message: ToGateway): void {
    this.#add({ t: 'model', message });
  }

  flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    try {
      this.#options.post({ type: 'batch', activation: this.id, items });
    } catch {
      this.#flushOneByOne(items);
    }
  }

  // --- inside

  #queue(mail: PackedMail): void {
    unpackMail(mail, (handed) => this.#mail.push(handed));
  }

  /** Reports receives that end well one after the other in one number. */
  #processed(): void {
    const last = this.#items.at(-1);
    if (typeof last !== 'number') {
      this.#add(1);
      return;
    }
    this.#items[this.#items.length - 1] = last + 1;
    // Credit is given back while there is still work, so that the next mail comes before this one is done.
    if (last + 1 >= earlyCredit) this.flush();
  }

  /** One item cannot be cloned although it is plain by its looks: the activation that sent it is at fault (M6). */
  #flushOneByOne(items: readonly ActivationItem[]): void {
    let cause: Failure | null = null;
    for (const item of items) {
      try {
        this.#options.post({ type: 'batch', activation: this.id, items: [item] });
      } catch (error) {
        cause = toFailure(error, 'not_serializable');
        if (typeof item === 'number' || item.t !== 'ended') continue;
        // Only what the failure carries cannot cross; the end itself has to be reported.
        const exit: ReportedExit = { reason: 'crashed', failure: cause };
        this.#options.post({ type: 'batch', activation: this.id, items: [{ ...item, exit }] });
      }
    }
    if (cause !== null && !this.#isEnded) this.#crash(cause);
  }

  #pump(): void {
    if (this.#activation === null || this.#isPumping || this.#isEnded) return;
    this.#isPumping = true;
    const hasMore = this.#activation.pump(receivesPerPump);
    this.#isPumping = false;
    // Between two slices the port is read, so that signals overtake mail.
    if (hasMore && this.#mail.length > 0) void nextTurn().then(() => this.#pump());
  }

  #returnUnstarted(): void {
    if (Atomics.load(this.#sharedFlags, sharedFlags.takeBackActivation) === this.id) {
      Atomics.store(this.#sharedFlags, sharedFlags.takeBackActivation, 0);
    }
    if (this.#isEnded) return;
    this.#mail.length = 0;
    this.#returns += 1;
    this.#add({ t: 'returned', kept: this.#activation?.current == null ? 0 : 1 });
  }

  #call(item: (callId: number) => ActivationItem): Promise<unknown> {
    this.#lastCallId += 1;
    const callId = this.#lastCallId;
    return new Promise((resolve, reject) => {
      this.#calls.set(callId, { settle: resolve, fail: reject });
      this.#add(item(callId));
    });
  }

  #takeCall(callId: number): PendingCall | undefined {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    return call;
  }

  #crash(cause: Failure): void {
    const inHand = this.#activation?.abandon() ?? 'not_started';
    this.#finish({
      t: 'ended',
      exit: { reason: 'crashed', failure: cause },
      inHand,
      leaks: ['crashed'],
    });
  }

  #finish(item: ActivationItem): void {
    if (this.#isEnded) return;
    this.#activation?.abandon();
    this.#add(item);
    this.#isEnded = true;
    this.flush();
    for (const call of this.#calls.values()) {
      call.fail(TroupeError.from(failure('activation_ended', 'this activation is over')));
    }
    this.#calls.clear();
    this.#options.onEnded();
  }

  #add(item: ActivationItem): void {
    if (this.#isEnded) return;
    this.#items.push(item);
    if (this.#items.length >= largestBatch) {
      this.flush();
    } else if (!this.#isFlushing) {
      this.#isFlushing = true;
      // After every promise that this turn of the loop settles: what belongs together crosses together.
      process.nextTick(() => {
        this.#isFlushing = false;
        this.flush();
      });
    }
  }
}
