// Owns the priority of its own thread: below that of the host's loop from the first moment, lower once a tool runs.
import os from 'node:os';

const minPriority = 19;
// Taken before a guard of the thread may replace them.
const { getPriority, setPriority } = os;

/** How much further a thread steps back in which tools run. */
const toolsFactor = 1.5;

/**
 * Where the system counts threads apart, and nowhere else. A thread in which only the agent loop runs mostly waits, and
 * what it sends when it wakes up must not wait for the tools that others compute with: it sends under a lock that
 * the host takes as well, so that a send it cannot finish blocks the host's own loop.
 */
export class ThreadPriority {
  readonly #own = process.platform === 'linux' ? getPriority(0) : null;
  readonly #niceness: number;
  #hasSteppedBack = false;

  constructor(niceness: number) {
    this.#niceness = niceness;
    this.#lower(niceness);
  }

  /** Called before a tool or a hook runs here. Nothing raises it again: ordinary users may not. */
  stepBack(): void {
    if (this.#hasSteppedBack) return;
    this.#hasSteppedBack = true;
    this.#lower(Math.floor(this.#niceness * toolsFactor));
  }

  /** Added to what the host was given already, as `nice` does. */
  #lower(by: number): void {
    if (this.#own !== null && by > 0) setPriority(0, Math.min(this.#own + by, minPriority));
  }
}
