// Owns the priority of its own thread: below that of the host's loop from the first moment, lower once code of others runs.
import { getPriority, setPriority } from 'node:os';

const lowestPriority = 19;

/**
 * Where the system counts threads apart, and nowhere else. A thread in which only the agent loop runs gets half of the
 * niceness: it mostly waits, and what it says when it wakes up must not queue behind the tools that others compute with.
 * It speaks under a lock that the host takes as well, so that a word it cannot finish stops the host's own loop.
 */
export class ThreadPriority {
  readonly #own = process.platform === 'linux' ? getPriority(0) : null;
  readonly #niceness: number;
  #isLow = false;

  constructor(niceness: number) {
    this.#niceness = niceness;
    this.#lower(Math.floor(niceness / 2));
  }

  /** Called before a tool, a hook or an actor of the service's runs here. Nothing raises it again: users may not. */
  beforeUserCode(): void {
    if (this.#isLow) return;
    this.#isLow = true;
    this.#lower(this.#niceness);
  }

  /** Added to what the host was given already, as `nice` does. */
  #lower(by: number): void {
    if (this.#own !== null && by > 0) setPriority(0, Math.min(this.#own + by, lowestPriority));
  }
}
