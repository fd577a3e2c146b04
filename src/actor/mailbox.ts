// Owns an actor's user lane: bounded in messages and bytes, with an overflow policy and a queue of waiting offers (M5).
import type { Envelope } from './envelope.ts';
import { EnvelopeQueue } from './envelope-queue.ts';

export type Overflow = 'reject' | 'drop_newest' | 'drop_oldest';

export type MailboxLimits = {
  readonly maxMessages: number;
  readonly maxBytes: number;
  readonly overflow: Overflow;
};

/** 1,024 messages, 16 MiB, and a full mailbox refuses (M5). */
export const defaultMailboxLimits: MailboxLimits = {
  maxMessages: 1_024,
  maxBytes: 16 * 1024 * 1024,
  overflow: 'reject',
};

/** Bytes that wait in all mailboxes of a system; `cap` bounds their sum (M5). */
export class ByteBudget {
  readonly cap: number;
  /** Bytes held now; whoever gives some back calls `released` if somebody waits. */
  used = 0;
  #waiting: Set<() => void> | null = null;

  constructor(cap: number = 1024 * 1024 * 1024) {
    this.cap = cap;
  }

  get hasWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Bytes were given back: who waits for room looks again. */
  released(): void {
    for (const look of [...(this.#waiting ?? [])]) look();
  }

  /** Calls `look` whenever bytes were given back, until the returned function is called. */
  onRelease(look: () => void): () => void {
    this.#waiting ??= new Set();
    this.#waiting.add(look);
    return () => {
      this.#waiting?.delete(look);
      if (this.#waiting?.size === 0) this.#waiting = null;
    };
  }
}

/** What became of a message at the door. */
export type Admission =
  | { readonly type: 'accepted' }
  | { readonly type: 'full' }
  /** Accepted by dropping another, or the message itself, which is then a dead letter `full`. */
  | { readonly type: 'dropped'; readonly victim: Envelope };

const accepted: Admission = { type: 'accepted' };
const full: Admission = { type: 'full' };

/** The user lane. Nobody but its cell reads it. */
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

  /** Admits a message, or says that it does not fit, or which one was dropped for it. */
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
        // A message that is larger than the whole mailbox cannot make room for itself.
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

  /** Adds at the tail whatever the bounds say: `terminated` notices are exempt from M5 (M2). */
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
