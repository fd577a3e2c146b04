// Owns the queue of envelopes: a list linked through the envelopes themselves, so that an empty one costs nothing.
import type { Envelope } from './envelope.ts';

/** An envelope is in at most one queue at a time; `next` belongs to that queue. */
export class EnvelopeQueue {
  #head: Envelope | null = null;
  #tail: Envelope | null = null;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(envelope: Envelope): void {
    envelope.next = null;
    if (this.#tail === null) this.#head = envelope;
    else this.#tail.next = envelope;
    this.#tail = envelope;
    this.#length += 1;
  }

  unshift(envelope: Envelope): void {
    envelope.next = this.#head;
    this.#head = envelope;
    if (this.#tail === null) this.#tail = envelope;
    this.#length += 1;
  }

  shift(): Envelope | null {
    const envelope = this.#head;
    if (envelope === null) return null;
    this.#head = envelope.next;
    if (this.#head === null) this.#tail = null;
    envelope.next = null;
    this.#length -= 1;
    return envelope;
  }

  /** Removes the envelope with this sequence number, at any position. */
  remove(seq: number): Envelope | null {
    return this.takeFirst((envelope) => envelope.seq === seq);
  }

  /** Takes the oldest that is wanted; the others keep their order. */
  takeFirst(isWanted: (envelope: Envelope) => boolean): Envelope | null {
    let before: Envelope | null = null;
    for (let at = this.#head; at !== null; at = at.next) {
      if (isWanted(at)) {
        if (before === null) return this.shift();
        before.next = at.next;
        if (this.#tail === at) this.#tail = before;
        at.next = null;
        this.#length -= 1;
        return at;
      }
      before = at;
    }
    return null;
  }

  /** Takes the newest `count`, in their order. */
  takeLast(count: number): readonly Envelope[] {
    const kept = Math.max(this.#length - count, 0);
    const taken: Envelope[] = [];
    const all = this.#length;
    for (let index = 0; index < all; index += 1) {
      const envelope = this.shift();
      if (envelope === null) break;
      if (index < kept) this.push(envelope);
      else taken.push(envelope);
    }
    return taken;
  }
}
