// Owns an activation's calls to a model on the host, and where answers go. The gateway judges the requests.

import { sharedFlags } from '../protocol/shared-flags.ts';
import type { Requester } from './actor-requests.ts';
import type { ModelConnection } from './model-connection.ts';

type HostModel = Extract<ModelConnection, { readonly route: 'host' }>;

export class HostModelChannel {
  readonly #model: HostModel;
  readonly #sharedFlags: Int32Array;
  readonly #asker: Requester;
  /** What is answered while an interrupt is made ready; null while each answer goes by itself. */
  #buffered: unknown[] | null = null;

  /** `flags` is the array of flags shared with the thread. */
  constructor(model: HostModel, flags: Int32Array, asker: Requester) {
    this.#model = model;
    this.#sharedFlags = flags;
    this.#asker = asker;
  }

  /** False for what is no message to a model, whose sender is not trusted. `acknowledged` counts receives that are over. */
  ask(message: unknown, acknowledged: number): boolean {
    // The thread sent the request before it received the interrupt that the host has set meanwhile.
    const isGivenUp = Atomics.load(this.#sharedFlags, sharedFlags.interruptSeq) > acknowledged;
    return this.#model.send(message, this.#reply, isGivenUp);
  }

  /**
   * Aborts the calls in flight, and gives their answers to go with the interrupt: else the thread, woken by it, would
   * have to ask for the same and wait once more (S2).
   */
  abort(): readonly unknown[] {
    const answers: unknown[] = [];
    this.#buffered = answers;
    this.#model.abort();
    this.#buffered = null;
    return answers;
  }

  readonly #reply = (answer: unknown): void => {
    const { activation } = this.#asker;
    if (this.#buffered !== null) this.#buffered.push(answer);
    else this.#asker.post({ type: 'model', activation, message: answer });
  };
}
