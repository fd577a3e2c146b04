// Owns the host's count of what a thread has sent, and of what of it was taken in.
import { TroupeError } from '../base/failures.ts';
import { costOf, maxAhead } from '../protocol/message-credit.ts';
import { sharedFlags } from '../protocol/shared-flags.ts';
import { type FromThread, largestBatch } from '../protocol/worker-messages.ts';

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
