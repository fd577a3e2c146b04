// Owns how far a thread may be ahead of its host: what each message counts, how much may lie unread, how the host counts.
import { TroupeError } from '../base/failures.ts';
import { type FromThread, largestBatch, sharedFlags } from './messages.ts';

/** A thread that is ahead by this much waits before it sends more. The host takes a few milliseconds for it. */
export const maxAhead = 512;

/** A call of a service is dearer to its host than anything else. */
const costOfCall = 8;

/** What a message counts. The first one of a thread is sent before it counts, and is free. */
export function costOf(message: FromThread): number {
  switch (message.type) {
    case 'online':
      return 0;
    case 'batch':
      return message.items.length;
    case 'link':
      return costOfCall;
    default:
      return 1;
  }
}

/**
 * The host's count. A thread learns the count a turn of the event loop later: however fast it sends, each turn
 * takes a bounded part of it, and everything else has its turn too.
 */
export class Intake {
  readonly #sharedFlags: Int32Array;
  #untold = 0;
  #isTelling = false;

  constructor(shared: Int32Array) {
    this.#sharedFlags = shared;
  }

  /** Counts a message. Throws `protocol_violation` when its thread did not wait: it sends past the code that would. */
  take(message: FromThread): void {
    this.#untold += costOf(message);
    if (this.#untold >= maxAhead + largestBatch) {
      const why = `a thread sent ${this.#untold} messages and calls at once, and may send ${maxAhead}`;
      throw new TroupeError('protocol_violation', why);
    }
    // Most activations never send this much: the host updates no count for them, at no cost.
    if (this.#untold < maxAhead / 2 || this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => this.#tell());
  }

  #tell(): void {
    this.#isTelling = false;
    Atomics.add(this.#sharedFlags, sharedFlags.taken, this.#untold);
    this.#untold = 0;
    Atomics.notify(this.#sharedFlags, sharedFlags.taken);
  }
}
