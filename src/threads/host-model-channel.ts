// Owns an activation's calls to a model on the host, and where answers go. The gateway judges the requests.

import { sharedFlags } from '../protocol/shared-flags.ts';
import type { ModelConnection } from './model-connection.ts';

export class HostModelChannel {
  readonly #connection: Extract<ModelConnection, { readonly route: 'host' }>;
  readonly #sharedFlags: Int32Array;
  readonly #post: (answer: unknown) => void;
  /** What is answered while an interrupt is made ready; null while each answer goes by itself. */
  #buffered: unknown[] | null = null;

  /** `flags` is the array of flags shared with the thread. */
  constructor(
    connection: Extract<ModelConnection, { readonly route: 'host' }>,
    flags: Int32Array,
    post: (answer: unknown) => void,
  ) {
    this.#connection = connection;
    this.#sharedFlags = flags;
    this.#post = post;
  }

  /** False for what is no message to a model, whose sender is not trusted. `acknowledged` counts receives that are over. */
  ask(message: unknown, acknowledged: number): boolean {
    // The thread sent the request before it received the interrupt that the host has set meanwhile.
    const isGivenUp = Atomics.load(this.#sharedFlags, sharedFlags.interruptSeq) > acknowledged;
    return this.#connection.send(message, this.#reply, isGivenUp);
  }

  /**
   * Aborts the calls in flight, and gives their answers to go with the interrupt: else the thread, woken by it, would
   * have to ask for the same and wait once more (S2).
   */
  abort(): readonly unknown[] {
    const answers: unknown[] = [];
    this.#buffered = answers;
    this.#connection.abort();
    this.#buffered = null;
    return answers;
  }

  readonly #reply = (answer: unknown): void => {
    if (this.#buffered === null) this.#post(answer);
    else this.#buffered.push(answer);
  };
}
