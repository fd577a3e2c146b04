// Owns an activation's calls to a model on the host, as its thread asks them: where answers go. The gateway judges what is asked.
import type { ModelConnection } from './activation-options.ts';
import { sharedFlags } from './messages.ts';

export class HostModelChannel {
  readonly #connection: ModelConnection;
  readonly #sharedFlags: Int32Array;
  readonly #post: (answer: unknown) => void;
  /** What is answered while an interrupt is made ready; null while each answer goes by itself. */
  #buffered: unknown[] | null = null;

  /** `slot` are the words it shares with the thread. */
  constructor(connection: ModelConnection, slot: Int32Array, post: (answer: unknown) => void) {
    this.#connection = connection;
    this.#sharedFlags = slot;
    this.#post = post;
  }

  /** False when it is no message to a model, and its sender not to be trusted. `settled` counts the receives that are over. */
  ask(message: unknown, settled: number): boolean {
    // An activation whose model is elsewhere has nobody here to ask.
    if (this.#connection.route !== 'host') return true;
    const reply = (answer: unknown): void => {
      if (this.#buffered === null) this.#post(answer);
      else this.#buffered.push(answer);
    };
    // The thread had asked before it could hear of the interrupt that was made ready meanwhile.
    const isGivenUp = Atomics.load(this.#sharedFlags, sharedFlags.interruptSeq) > settled;
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
