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
  #unreported = 0;
  #isReporting = false;

  constructor(shared: Int32Array) {
    this.#sharedFlags = shared;
  }

  /** Counts a message. Throws `protocol_violation` when its thread did not wait: it sends past the code that would. */
  take(message: FromThread): void {
    this.#unreported += costOf(message);
    if (this.#unreported >= maxAhead + largestBatch) {
      const why = `a thread sent ${this.#unreported} messages and calls at once, and may send ${maxAhead}`;
      throw new TroupeError('protocol_violation', why);
    }
    // Most activations never send this much: the host updates no count for them, at no cost.
    if (this.#unreported < maxAhead / 2 || this.#isReporting) return;
    this.#isReporting = true;
    setImmediate(() => this.#report());
  }

  #report(): void {
    this.#isReporting = false;
    Atomics.add(this.#sharedFlags, sharedFlags.taken, this.#unreported);
    this.#unreported = 0;
    Atomics.notify(this.#sharedFlags, sharedFlags.taken);
  }
}
