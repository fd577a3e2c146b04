// Owns the wait for threads with messages on their way: each is asked, and given up when silent. For clocks that do
// not advance by themselves (V8).
import { systemClock } from '../base/clock.ts';
import type { WorkerSlot } from './worker-slot.ts';

const maxSilenceMs = 1_000;
/** What a thread takes to come up on a busy machine, and then to load what its first activation needs. */
const maxOpeningMs = 10_000;
const maxLoadMs = 3_000;

export class Acknowledgements {
  readonly #slots: () => Iterable<WorkerSlot>;
  readonly #silent = new WeakSet<WorkerSlot>();

  constructor(slots: () => Iterable<WorkerSlot>) {
    this.#slots = slots;
  }

  /** Changes with every message that a thread has sent, beside its answers to pings. */
  get traffic(): number {
    let count = 0;
    for (const slot of this.#slots()) count += slot.acknowledged;
    return count;
  }

  /**
   * Resolves when every thread with something to do has read what was posted to it so far and has no request of its own
   * under way, and those that come or go are there or gone. One that gives no sign for a second spins or is blocked: it is
   * not waited for again before it does.
   */
  async acknowledged(): Promise<void> {
    const asked = [...this.#slots()].filter((slot) => !slot.isFree && !this.#silent.has(slot));
    await Promise.all(asked.map((slot) => this.of(slot)));
  }

  of(slot: WorkerSlot): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemClock.after(patienceWith(slot), () => {
        this.#silent.add(slot);
        resolve();
      });
      slot.ask(() => {
        cancel();
        this.#silent.delete(slot);
        resolve();
      });
    });
  }
}

function patienceWith({ isOpening, acknowledged }: WorkerSlot): number {
  if (isOpening) return maxOpeningMs;
  // The thread has sent `online`, and no activation on it has sent anything.
  return acknowledged <= 1 ? maxLoadMs : maxSilenceMs;
}
