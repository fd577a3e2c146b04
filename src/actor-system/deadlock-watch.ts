// Owns the watch for deadlocks over threads: checks when an actor begins to wait, and refuses one slot request (V7).
import type { AskTable } from '../actor/asks.ts';
import { failure } from '../base/failures.ts';
import { newestDeadlocked } from '../supervision/deadlock.ts';
import type { PoolSaturation } from '../threads/pool-options.ts';
import type { WorkerPool } from '../threads/worker-pool.ts';

export class DeadlockWatch {
  readonly #pool: WorkerPool;
  readonly #asks: AskTable;
  #looks = 0;

  constructor(pool: WorkerPool, asks: AskTable) {
    this.#pool = pool;
    this.#asks = asks;
  }

  /** To be called whenever a slot request has to wait, or an actor waits for one actor more or less. */
  look(): void {
    this.#looks += 1;
    const saturation = this.#pool.saturation();
    if (saturation === null || this.#victim(saturation) === null) return;
    // Messages on their way to a thread may change that. A thread answers a ping after it has sent the results of
    // the messages before it; one that spins does not answer, and does not wait either.
    const look = this.#looks;
    let silent = saturation.users.length;
    for (const { slot } of saturation.users) {
      slot.ping(() => {
        silent -= 1;
        if (silent === 0 && look === this.#looks) this.#refuse();
      });
    }
  }

  #refuse(): void {
    const saturation = this.#pool.saturation();
    const victim = saturation === null ? null : this.#victim(saturation);
    if (victim === null) return;
    const message =
      'every thread is held by an actor that waits for this one, which waits for a thread';
    this.#pool.refuse(victim, failure('deadlock', message));
  }

  #victim({ users, queued }: PoolSaturation): string | null {
    return newestDeadlocked({
      users: users.map(({ actor }) => actor),
      queued,
      waitsOf: (actor) => this.#asks.waitsOf(actor),
    });
  }
}
