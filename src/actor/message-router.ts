// Owns how a message gets from a sender to a mailbox: the walk, the envelope, the ledger, the refusal (M5 to M8, L1).
import { type Clock, type ProcessRef, systemClock } from '../base/clock.ts';
import { type Failure, failure, TroupeError } from '../base/failures.ts';
import type { Address } from './address.ts';
import { AskTable } from './asks.ts';
import type { AskOptions, OfferResult } from './behavior.ts';
import {
  type DeadLetter,
  type DeadLetterLimits,
  type DeadLetterReason,
  DeadLetters,
} from './dead-letters.ts';
import type { Envelope } from './envelope.ts';
import { Ledger, type LedgerSnapshot } from './ledger.ts';
import { ByteBudget, defaultMailboxLimits } from './mailbox.ts';
import type { Receiver } from './receiver.ts';
import { Registry } from './registry.ts';
import { reportUncaught } from './report-uncaught.ts';
import { measure, toSerializable } from './serializable.ts';

export type MessageRouterOptions = {
  readonly clock: Clock;
  readonly processRef: ProcessRef;
  readonly maxTotalBytes?: number;
  readonly deadLetters?: DeadLetterLimits;
  readonly onDeadLetter?: (letter: DeadLetter) => void;
};

/** What a send needs beside its message. */
export type Sending = {
  readonly from: Address | null;
  readonly to: Address;
};

/** Routes every tell, offer, ask and notice of a system; there is no other way to a mailbox. */
export class MessageRouter<Cell extends Receiver = Receiver> {
  readonly clock: Clock;
  readonly registry = new Registry<Cell>();
  readonly ledger = new Ledger();
  readonly asks: AskTable;
  readonly bytes: ByteBudget;
  readonly deadLetters: DeadLetters;
  readonly #processRef: ProcessRef;
  readonly #onDeadLetter: ((letter: DeadLetter) => void) | undefined;
  #lastEnvelopeId = 0;

  constructor(options: MessageRouterOptions) {
    this.clock = options.clock;
    this.asks = new AskTable(options.clock, options.processRef);
    // Threads read the system's clock themselves; on another one what they have not started comes back to be looked at (M8).
    if (options.clock !== systemClock) {
      this.asks.onExpired = ({ id }) => {
        const cell = this.registry.get(id);
        cell?.suspendIntake();
        cell?.resumeIntake();
      };
    }
    this.#processRef = options.processRef;
    this.bytes = new ByteBudget(options.maxTotalBytes);
    this.deadLetters = new DeadLetters(options.deadLetters);
    this.#onDeadLetter = options.onDeadLetter;
  }

  /** True when all mailboxes together, one of them empty, take a message of so many bytes. */
  hasSpace(bytes: number): boolean {
    const { used, cap } = this.bytes;
    return bytes <= defaultMailboxLimits.maxBytes && used + bytes <= cap;
  }

  /** Sends and forgets. Throws `not_serializable`; a refusal becomes a dead letter. */
  tell(from: Address | null, to: Address, message: unknown): void {
    this.#post(this.#seal({ from, to }, message, 0, Number.POSITIVE_INFINITY));
  }

  /** Like `tell`, for a message that a thread has checked and measured already. */
  tellMeasured(sending: Sending, message: unknown, bytes: number): void {
    const { from, to } = sending;
    this.#post(this.#envelope(from, to, message, bytes, 0, Number.POSITIVE_INFINITY));
  }

  /** Sends, waiting for space until the time is over or `signal` aborts. */
  async offer(
    sending: Sending,
    message: unknown,
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<OfferResult> {
    const envelope = this.#seal(sending, message, 0, Number.POSITIVE_INFINITY);
    const cell = this.registry.get(envelope.to.id);
    if (cell === undefined) {
      this.#refuseUnknown(envelope);
      return 'dead';
    }
    const offered = cell.offer(envelope, options);
    return sending.from === null ? this.#processRef.during(offered) : offered;
  }

  /** Sends and awaits the reply (M7). */
  async ask(sending: Sending, message: unknown, options: AskOptions): Promise<unknown> {
    const { from, to } = sending;
    const timeoutMs: unknown = options?.timeoutMs;
    if (typeof timeoutMs !== 'number' || !(timeoutMs > 0) || timeoutMs === Infinity) {
      throw new TroupeError(
        'ask_without_deadline',
        `ask needs a timeoutMs above 0, it got ${String(timeoutMs)}`,
      );
    }
    // An actor that asks between receives can still process messages, so its ask closes no cycle.
    const isWaiting = from !== null && this.registry.get(from.id)?.isBusy === true;
    if (from !== null && isWaiting && this.asks.closesCycle(from, to)) {
      throw new TroupeError(
        'deadlock',
        `${from.path} asks ${to.path}, which waits for ${from.path} already`,
      );
    }
    const deadline = this.clock.now() + timeoutMs;
    const plain = toSerializable(message);
    return this.asks.open({
      from: isWaiting ? from : null,
      to,
      deadline,
      send: (askId) => {
        this.#post(this.#envelope(from, to, plain.value, plain.bytes, askId, deadline));
      },
    });
  }

  /** Delivers a `terminated` notice: user-lane mail, exempt from the bounds (M2). */
  notify(to: Address, message: unknown): void {
    const cell = this.registry.get(to.id);
    if (cell === undefined) return;
    const bytes = measure(message);
    cell.deliverNotice(this.#envelope(null, to, message, bytes, 0, Infinity, true));
  }

  /** One `terminated` notice to `watcher` when `actor` ends; at once when it has, or never was (V5). */
  watch(watcher: Address, actor: Address): void {
    const cell = this.registry.get(actor.id);
    if (cell !== undefined) {
      cell.addWatcher(watcher);
      return;
    }
    const { reason } = this.registry.exitOf(actor.id);
    this.notify(watcher, { type: 'terminated', actor, reason });
  }

  /** Records a message that was accepted and will not be processed; its asker learns at once (L3). */
  deadLetter(envelope: Envelope, reason: DeadLetterReason, cause?: Failure): void {
    this.ledger.deadLettered += 1;
    this.#record(envelope, reason, true, cause);
  }

  /** Records a message that was not admitted. */
  refuse(envelope: Envelope, reason: DeadLetterReason): void {
    this.ledger.refused += 1;
    this.#record(envelope, reason, false);
  }

  /** Records a message that its receiver's own guard turned away before it came here. Throws `not_serializable`. */
  refuseTell(to: Address, message: unknown, reason: DeadLetterReason): void {
    const envelope = this.#seal({ from: null, to }, message, 0, Number.POSITIVE_INFINITY);
    this.ledger.offered += 1;
    this.refuse(envelope, reason);
  }

  snapshot(): LedgerSnapshot {
    let pending = 0;
    for (const cell of this.registry.cells()) pending += cell.pending;
    return this.ledger.snapshot(pending);
  }

  #post(envelope: Envelope): void {
    const cell = this.registry.get(envelope.to.id);
    if (cell === undefined) this.#refuseUnknown(envelope);
    else cell.deliver(envelope);
  }

  #refuseUnknown(envelope: Envelope): void {
    this.ledger.offered += 1;
    const wasThere = this.registry.wasIssued(envelope.to.id);
    this.refuse(envelope, wasThere ? 'terminated' : 'no_such_actor');
  }

  #record(
    envelope: Envelope,
    reason: DeadLetterReason,
    wasAccepted: boolean,
    cause?: Failure,
  ): void {
    const at = this.clock.now();
    const letter = this.deadLetters.record(envelope, { reason, at, wasAccepted });
    if (envelope.askId !== 0) {
      this.asks.fail(envelope.askId, cause ?? askFailure(envelope.to, reason));
    }
    try {
      this.#onDeadLetter?.(letter);
    } catch (error) {
      // Neither the sender nor the receiver is to blame.
      reportUncaught(error);
    }
  }

  #seal(sending: Sending, message: unknown, askId: number, deadline: number): Envelope {
    const { from, to } = sending;
    // Numbers and strings, the commonest small messages, need no walk and no copy.
    if (typeof message !== 'object' || message === null) {
      return this.#envelope(from, to, message, measure(message), askId, deadline);
    }
    const { value, bytes } = toSerializable(message);
    return this.#envelope(from, to, value, bytes, askId, deadline);
  }

  #envelope(
    from: Address | null,
    to: Address,
    message: unknown,
    bytes: number,
    askId: number,
    deadline: number,
    isNotice = false,
  ): Envelope {
    this.#lastEnvelopeId += 1;
    const id = this.#lastEnvelopeId;
    return {
      id,
      from,
      to,
      message,
      bytes,
      askId,
      deadline,
      isNotice,
      seq: 0,
      next: null,
    };
  }
}

/** What an asker learns from a dead letter. */
export function askFailure(to: Address, reason: DeadLetterReason): Failure {
  switch (reason) {
    case 'no_such_actor':
      return failure('no_such_actor', `there is no actor ${to.id} (${to.path})`);
    case 'full':
      return failure('mailbox_full', `the mailbox of ${to.path} is full`, { retryable: true });
    case 'expired':
      return failure('ask_timeout', `${to.path} did not start the message in time`);
    case 'clone_failed':
      return failure('clone_failed', `the message to ${to.path} could not be cloned`);
    case 'in_doubt':
      return failure('in_doubt', `${to.path} died while it processed the message`);
    case 'activation_failed':
      return failure('activation_failed', `${to.path} could not be activated`, { retryable: true });
    case 'stash_overflow':
      return failure('stash_overflow', `the stash of ${to.path} is full`);
    default:
      return failure('actor_terminated', `${to.path} has ended (${reason})`);
  }
}
