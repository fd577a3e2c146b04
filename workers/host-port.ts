// Owns what the thread sends its host: code that sends more than the host takes in is blocked here.
import type { MessagePort } from 'node:worker_threads';
import { costOf, maxAhead } from '../src/protocol/message-credit.ts';
import { sharedFlags } from '../src/protocol/shared-flags.ts';
import type { FromThread } from '../src/protocol/worker-messages.ts';

export class HostPort {
  readonly #port: MessagePort;
  readonly #sharedFlags: Int32Array;
  /** Wraps around as the host's count does. */
  #sent = 0;

  constructor(port: MessagePort, shared: Int32Array) {
    this.#port = port;
    this.#sharedFlags = shared;
  }

  /** Throws what cannot be cloned. */
  post(message: FromThread): void {
    for (;;) {
      const taken = Atomics.load(this.#sharedFlags, sharedFlags.taken);
      if (((this.#sent - taken) | 0) < maxAhead) break;
      // Blocking works for a loop that never awaits too; the end of its thread ends the wait as well.
      Atomics.wait(this.#sharedFlags, sharedFlags.taken, taken);
    }
    this.#port.postMessage(message);
    this.#sent = (this.#sent + costOf(message)) | 0;
  }
}
