// Owns how much of the time since the last look an event loop worked. Decides nothing.
import type { EventLoopUtilityFunction, EventLoopUtilization } from 'node:perf_hooks';

export class LoopUse {
  readonly #read: EventLoopUtilityFunction;
  #before: EventLoopUtilization | null = null;

  constructor(read: EventLoopUtilityFunction) {
    this.#read = read;
  }

  /** Between 0, it only waited, and 1, it only worked; 1 at the first look, which is no measure of what it will do. */
  sinceLast(): number {
    const now = this.#read();
    const before = this.#before;
    this.#before = now;
    return before === null ? 1 : this.#read(now, before).utilization;
  }
}
