// Owns an actor's mailbox: bounded in messages and bytes, with an overflow policy (M5).
import type { Envelope } from './envelope.ts';
import { EnvelopeQueue } from './envelope-queue.ts';

/**
 * What happens to a message that does not fit: it is refused (`reject`), dropped (`drop_newest`), or replaces the oldest
 * one (`drop_oldest`). What is dropped becomes a dead letter `full`.
 */
export type Overflow = 'reject' | 'drop_newest' | 'drop_oldest';

/** The bounds of one mailbox. */
export type MailboxLimits = {
  /** Messages that may wait. Default 1,024. */
  readonly maxMessages: number;
  /** Their estimated size together. Default 16 MiB. */
  readonly maxBytes: number;
  /** What happens to a message beyond that. Default `reject`. */
  readonly overflow: Overflow;
};

/** 1,024 messages, 16 MiB, and a full mailbox refuses. */
export const defaultMailboxLimits: MailboxLimits = {
  maxMessages: 1_024,
  maxBytes: 16 * 1024 * 1024,
  overflow: 'reject',
};

/** Bytes that wait in all mailboxes of a system; `cap` bounds their sum. */
export class ByteBudget {
  readonly cap: number;
  /** Bytes in use now; a mailbox that frees some calls `released` when `hasWaiting` is true. */
  used = 0;
  #waiting: Set<() => void> | null = null;

  constructor(cap: number = 1024 * 1024 * 1024) {
    this.cap = cap;
  }

  get hasWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Bytes were freed: inboxes with offers that wait for space try again. */
  released(): void {
    for (const look of [...(this.#waiting ?? [])]) look();
  }

  /** Calls `look` whenever bytes were freed, until the returned function is called. */
  onRelease(look: () => void): () => void {
    this.#waiting ??= new Set();
    this.#waiting.add(look);
    return () => {
      this.#waiting?.delete(look);
      if (this.#waiting?.size === 0) this.#waiting = null;
    };
  }
}

/** The result of offering a message to the mailbox. */
export type Admission =
  | { readonly type: 'accepted' }
  | { readonly type: 'full' }
  /** Accepted by dropping another, or the message itself, which is then a dead letter `full`. */
  | { readonly type: 'dropped'; readonly victim: Envelope };

const accepted: Admission = { type: 'accepted' };
const full: Admission = { type: 'full' };

/** The queue of user messages. Only its cell's inbox reads it. */
export class Mailbox {
  readonly #limits: MailboxLimits;
  readonly #budget: ByteBudget;
  readonly #queue = new EnvelopeQueue();
  #bytes = 0;
  #lastSeq = 0;

  constructor(limits: MailboxLimits, budget: ByteBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  get length(): number {
    return this.#queue.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True when one more message of `bytes` fits. */
  hasSpace(bytes: number): boolean {
    return (
      this.#queue.length < this.#limits.maxMessages &&
      this.#bytes + bytes <= this.#limits.maxBytes &&
      this.#budget.used + bytes <= this.#budget.cap
    );
  }

  /** True when a message of `bytes` fits at least into the empty mailbox of an empty system. */
  hasSpaceFor(bytes: number): boolean {
    const { maxMessages, maxBytes } = this.#limits;
    return maxMessages > 0 && bytes <= maxBytes && bytes <= this.#budget.cap;
  }

  /** Admits a message; or returns `full`, or `dropped` with the message that was dropped for it. */
  push(envelope: Envelope): Admission {
    if (this.hasSpace(envelope.bytes)) {
      this.append(envelope);
      return accepted;
    }
    switch (this.#limits.overflow) {
      case 'reject':
        return full;
      case 'drop_newest':
        return { type: 'dropped', victim: envelope };
      case 'drop_oldest': {
        const victim = this.#queue.takeFirst(isDroppable);
        if (victim !== null) this.#charge(-victim.bytes);
        // For a message that is larger than the whole mailbox, no message is dropped.
        if (victim === null) return full;
        if (!this.hasSpace(envelope.bytes)) {
          this.unshift(victim);
          return full;
        }
        this.append(envelope);
        return { type: 'dropped', victim };
      }
    }
  }

  /** Adds at the tail regardless of the bounds: `terminated` notices are exempt from them. */
  append(envelope: Envelope): void {
    this.#lastSeq += 1;
    envelope.seq = this.#lastSeq;
    this.#queue.push(envelope);
    this.#charge(envelope.bytes);
  }

  /** Puts a message back at the head: it was accepted already, so no bound applies. */
  unshift(envelope: Envelope): void {
    this.#queue.unshift(envelope);
    this.#charge(envelope.bytes);
  }

  shift(): Envelope | null {
    const envelope = this.#queue.shift();
    if (envelope !== null) this.#charge(-envelope.bytes);
    return envelope;
  }

  #charge(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.used += bytes;
    if (bytes < 0 && this.#budget.hasWaiting) this.#budget.released();
  }
}

function isDroppable(envelope: Envelope): boolean {
  return !envelope.isNotice;
}
