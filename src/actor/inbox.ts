// Owns a cell's mail: queued, in flight, stashed, and asks its activations have not answered. Keeps the ledger closed.
import { type Failure, failure } from '../base/failures.ts';
import type { Address } from './address.ts';
import type { OfferResult } from './behavior.ts';
import { BlockedSenders } from './blocked-senders.ts';
import { type Envelope, isExpired } from './envelope.ts';
import { EnvelopeQueue } from './envelope-queue.ts';
import type { Exit } from './exit.ts';
import type { ReceiveResult } from './host.ts';
import { Mailbox, type MailboxLimits } from './mailbox.ts';
import type { MessageRouter } from './message-router.ts';

export type OfferWait = { readonly timeoutMs?: number; readonly signal?: AbortSignal };

/** Every accepted message is in exactly one of mailbox, flight and stash until it is processed or a dead letter (L1). */
export class Inbox {
  readonly #address: Address;
  readonly #router: MessageRouter;
  readonly #limits: MailboxLimits;
  /** Made with the first message, as what is in flight: a passive actor may have none for long. */
  #mailbox: Mailbox | undefined;
  #inFlight: EnvelopeQueue | undefined;
  /** A receive has begun, and goes on in another activation. */
  isCarriedOver = false;
  /** Undefined until first used: most actors never need them. */
  #offers: BlockedSenders | undefined;
  #stopLooking: (() => void) | undefined;
  #stash: Envelope[] | undefined;
  #openAsks: Set<number> | undefined;

  constructor(address: Address, router: MessageRouter, limits: MailboxLimits) {
    this.#address = address;
    this.#router = router;
    this.#limits = limits;
  }

  get pending(): number {
    return this.queued + this.inFlight + this.stashed;
  }

  get queued(): number {
    return this.#mailbox?.length ?? 0;
  }

  get inFlight(): number {
    return this.#inFlight?.length ?? 0;
  }

  get stashed(): number {
    return this.#stash?.length ?? 0;
  }

  /** True while an ask that an activation took is not answered and its asker still waits. */
  get mustReply(): boolean {
    if (this.#openAsks === undefined) return false;
    for (const askId of this.#openAsks) if (this.#router.asks.isPending(askId)) return true;
    return false;
  }

  /** Admits a message, or refuses it with a dead letter `full`. */
  admit(envelope: Envelope): OfferResult {
    const { ledger } = this.#router;
    ledger.offered += 1;
    // Offers that wait go first: while there are any, what comes later finds the mailbox full.
    if (this.#hasOffers) {
      this.#router.refuse(envelope, 'full');
      return 'full';
    }
    const admission = this.#box.push(envelope);
    switch (admission.type) {
      case 'accepted':
        ledger.accepted += 1;
        return 'accepted';
      case 'full':
        this.#router.refuse(envelope, 'full');
        return 'full';
      case 'dropped':
        ledger.accepted += 1;
        this.#router.deadLetter(admission.victim, 'full');
        return 'accepted';
    }
  }

  /** Admits a `terminated` notice whatever the bounds say (M2). */
  admitNotice(envelope: Envelope): void {
    this.#router.ledger.offered += 1;
    this.#router.ledger.accepted += 1;
    this.#box.append(envelope);
  }

  /** Refuses a message because the actor takes none any more. */
  refuse(envelope: Envelope, reason: 'terminated' | 'stopped'): void {
    this.#router.ledger.offered += 1;
    this.#router.refuse(envelope, reason);
  }

  hasSpaceNow(bytes: number): boolean {
    return !this.#hasOffers && this.#box.hasSpace(bytes);
  }

  /**
   * Waits for space, behind the offers that wait already; `onAdmitted` runs when the message is admitted.
   * A message that is larger than the empty mailbox is `full` at once.
   */
  async waitForSpace(
    envelope: Envelope,
    wait: OfferWait,
    onAdmitted: () => void,
  ): Promise<OfferResult> {
    let result: OfferResult = 'full';
    if (this.#box.hasSpaceFor(envelope.bytes)) {
      this.#offers ??= new BlockedSenders(this.#router.clock);
      this.#stopLooking ??= this.#router.bytes.onRelease(() => this.#admitOffers());
      result = await this.#offers.wait(envelope.bytes, wait, () => {
        this.admitNotice(envelope);
        onAdmitted();
      });
      // An offer that gave up may have blocked a smaller one.
      this.#admitOffers();
    }
    if (result === 'accepted') return result;
    this.#router.ledger.offered += 1;
    this.#router.refuse(envelope, result === 'full' ? 'full' : 'terminated');
    return result;
  }

  /** The next message, now in flight; what expired meanwhile is a dead letter (M8). */
  take(): Envelope | null {
    for (;;) {
      const envelope = this.#next();
      if (envelope === null) return null;
      if (this.#offers !== undefined) this.#admitOffers();
      if (
        envelope.deadline !== Number.POSITIVE_INFINITY &&
        isExpired(envelope, this.#router.clock.now())
      ) {
        this.#router.deadLetter(envelope, 'expired');
        continue;
      }
      if (envelope.askId !== 0) {
        this.#openAsks ??= new Set();
        this.#openAsks.add(envelope.askId);
      }
      this.#inFlight ??= new EnvelopeQueue();
      this.#inFlight.push(envelope);
      return envelope;
    }
  }

  /** The oldest message in flight is done. */
  acknowledge(result: ReceiveResult, cause?: Failure): void {
    const envelope = this.#inFlight?.shift() ?? null;
    if (envelope === null) return;
    this.isCarriedOver = false;
    this.#router.asks.receiveEnded(this.#address.id);
    switch (result) {
      case 'processed':
      case 'interrupted':
        this.#router.ledger.processed += 1;
        break;
      case 'stashed':
        // No activation may answer it until it is handed over again.
        this.#openAsks?.delete(envelope.askId);
        this.#stash ??= [];
        this.#stash.push(envelope);
        break;
      case 'expired':
        this.#openAsks?.delete(envelope.askId);
        this.#router.deadLetter(envelope, 'expired');
        break;
      case 'crashed':
        this.#openAsks?.delete(envelope.askId);
        this.#router.deadLetter(
          envelope,
          cause?.code === 'stash_overflow' ? 'stash_overflow' : 'in_doubt',
          cause,
        );
        break;
    }
  }

  /** A message in flight could not cross to its activation (M6). */
  lose(seq: number): void {
    const envelope = this.#inFlight?.remove(seq) ?? null;
    if (envelope === null) return;
    this.#openAsks?.delete(envelope.askId);
    this.#router.deadLetter(envelope, 'clone_failed');
  }

  /** The newest `count` in flight were not started: back to the head, in their order (M4). */
  giveBack(count: number): void {
    const inFlight = this.#inFlight;
    if (inFlight === undefined || inFlight.length === 0) return;
    for (const envelope of [...inFlight.takeLast(count)].reverse()) {
      this.#openAsks?.delete(envelope.askId);
      this.#box.unshift(envelope);
    }
  }

  giveBackAll(): void {
    this.isCarriedOver = false;
    this.giveBack(this.inFlight);
  }

  /** The activation is over, the receive in hand is not: another one goes on with it. */
  carryOver(): void {
    this.giveBackAll();
    this.isCarriedOver = true;
  }

  /** Stashed messages return to the head of the mailbox, in their order (M9); returns how many. */
  unstash(): number {
    const stashed = this.#stash;
    if (stashed === undefined) return 0;
    this.#stash = undefined;
    for (const envelope of stashed.reverse()) this.#box.unshift(envelope);
    return stashed.length;
  }

  /** Answers an ask that its activation was handed; the asks of others are not its to answer. */
  reply(askId: number, value: unknown): void {
    if (this.#openAsks?.delete(askId) === true) this.#router.asks.reply(askId, value);
  }

  failAsk(askId: number, cause: Failure): void {
    if (this.#openAsks?.delete(askId) === true) this.#router.asks.fail(askId, cause);
  }

  /** Rejects what an activation was asked and can no longer answer. */
  failOpenAsks(exit: Exit): void {
    const open = this.#openAsks;
    if (open === undefined) return;
    this.#openAsks = undefined;
    const cause = exit.failure ?? this.#hasEnded(exit.reason);
    for (const askId of open) this.#router.asks.fail(askId, cause);
  }

  /** The activation that was to take them could not be made: what waits are dead letters (P2). */
  failActivation(cause: Failure): void {
    const why = failure('activation_failed', `${this.#address.path} could not be activated`, {
      retryable: true,
      detail: { cause },
    });
    // Collected first: a dead-letter listener may send a message, which makes an activation of its own.
    const failed: Envelope[] = [];
    for (let left = this.#next(); left !== null; left = this.#next()) failed.push(left);
    for (const envelope of failed) this.#router.deadLetter(envelope, 'activation_failed', why);
    if (this.#offers !== undefined) this.#admitOffers();
  }

  /** The actor is over: the remaining messages become dead letters, and offers that wait resolve `dead`. */
  close(exit: Exit): void {
    this.closeOffers();
    this.unstash();
    this.giveBackAll();
    for (let left = this.#next(); left !== null; left = this.#next()) {
      this.#router.deadLetter(left, 'stopped', this.#hasEnded(exit.reason));
    }
    this.failOpenAsks(exit);
  }

  /** The actor ends: offers that wait for space resolve `dead`. */
  closeOffers(): void {
    this.#offers?.close();
  }

  get #box(): Mailbox {
    this.#mailbox ??= new Mailbox(this.#limits, this.#router.bytes);
    return this.#mailbox;
  }

  #next(): Envelope | null {
    return this.#mailbox?.shift() ?? null;
  }

  #hasEnded(reason: string): Failure {
    return failure('actor_terminated', `${this.#address.path} has ended (${reason})`);
  }

  get #hasOffers(): boolean {
    return this.#offers !== undefined && !this.#offers.isEmpty;
  }

  #admitOffers(): void {
    const offers = this.#offers;
    if (offers === undefined) return;
    offers.admit((bytes) => this.#box.hasSpace(bytes));
    if (!offers.isEmpty) return;
    this.#offers = undefined;
    this.#stopLooking?.();
    this.#stopLooking = undefined;
  }
}
