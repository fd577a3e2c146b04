// Owns an activation's calls to a model on the host, and where answers go. The gateway judges the requests.

import { sharedFlags } from '../protocol/shared-flags.ts';
import type { ModelConnection } from './activation-options.ts';

export class HostModelChannel {
  readonly #connection: ModelConnection;
  readonly #sharedFlags: Int32Array;
  readonly #post: (answer: unknown) => void;
  /** What is answered while an interrupt is made ready; null while each answer goes by itself. */
  #buffered: unknown[] | null = null;

  /** `slot` is the array of flags shared with the thread. */
  constructor(connection: ModelConnection, slot: Int32Array, post: (answer: unknown) => void) {
    this.#connection = connection;
    this.#sharedFlags = slot;
    this.#post = post;
  }

  /** False for what is no message to a model, whose sender is not trusted. `acknowledged` counts receives that are over. */
  ask(message: unknown, acknowledged: number): boolean {
    // Ignored for an activation whose model does not run on the host.
    if (this.#connection.route !== 'host') return true;
    const reply = (answer: unknown): void => {
      if (this.#buffered === null) this.#post(answer);
      else this.#buffered.push(answer);
    };
    // The thread sent the request before it received the interrupt that the host has set meanwhile.
    const isGivenUp = Atomics.load(this.#sharedFlags, sharedFlags.interruptSeq) > acknowledged;
    return this.#connection.send(message, reply, isGivenUp);
  }

  /**
   * Aborts the calls in flight, and gives their answers to go with the interrupt: else the thread, woken by it, would
   * have to ask for the same and wait once more (S2).
   */
  abort(): readonly unknown[] {
    if (this.#connection.route !== 'host') return [];
    const answers: unknown[] = [];
    this.#buffered = answers;
    this.#connection.abort();
    this.#buffered = null;
    return answers;
  }
}
