// Owns the wait for threads that have something on their way: asked each, given up when they are silent. For clocks that stand
// still (design, section 4).
import { systemClock } from '../base/clock.ts';
import type { Seat } from './worker-slot.ts';

const longestSilenceMs = 1_000;
/** What a thread takes to come up on a busy machine, and then to load what its first life needs. */
const longestOpeningMs = 10_000;
const longestLoadMs = 3_000;

export class Acknowledgements {
  readonly #seats: () => Iterable<Seat>;
  readonly #silent = new WeakSet<Seat>();

  constructor(seats: () => Iterable<Seat>) {
    this.#seats = seats;
  }

  /** Changes with whatever a thread has said. */
  get traffic(): number {
    let count = 0;
    for (const seat of this.#seats()) count += seat.heard;
    return count;
  }

  /**
   * Resolves when every thread with something to do has read what was posted to it so far and has no request of its own
   * under way, and those that come or go are there or gone. One that gives no sign for a second spins or is blocked: it is
   * not waited for again before it does.
   */
  async acknowledged(): Promise<void> {
    const asked = [...this.#seats()].filter((seat) => !seat.isFree && !this.#silent.has(seat));
    await Promise.all(asked.map((seat) => this.of(seat)));
  }

  of(seat: Seat): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemClock.after(patienceWith(seat), () => {
        this.#silent.add(seat);
        resolve();
      });
      seat.ask(() => {
        cancel();
        this.#silent.delete(seat);
        resolve();
      });
    });
  }
}

function patienceWith({ isOpening, heard }: Seat): number {
  if (isOpening) return longestOpeningMs;
  // It has said that it is there, and no life on it has said anything.
  return heard <= 1 ? longestLoadMs : longestSilenceMs;
}
