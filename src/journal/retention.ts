// Owns what is not kept any longer, and when that is looked for: in pieces, so that no record waits long for it.
import type { Clock } from '../base/clock.ts';
import type { JournalStore } from './store.ts';

export type Retention = {
  /** Milliseconds that outcomes are kept. */
  readonly outcomesMs: number;
  /** Of the file; what ended first is forgotten for it. */
  readonly maxBytes: number;
};

/** Tasks, or pages, of one piece: a few milliseconds. */
const pieceSize = 256;
/** That a small file may have. */
const maxFreeBytes = 16_000_000;
/** After a look that found nothing. */
const againMs = 60_000;

export class Forgetting {
  readonly #store: JournalStore;
  readonly #retention: Retention;
  readonly #clock: Clock;
  #nextByAge = Number.NEGATIVE_INFINITY;
  #nextBySize = Number.NEGATIVE_INFINITY;

  constructor(store: JournalStore, retention: Retention, clock: Clock) {
    this.#store = store;
    this.#retention = retention;
    this.#clock = clock;
  }

  /** Forgets one piece: which tasks, and whether there may be more to do now. */
  step(): { readonly taskIds: readonly string[]; readonly isMore: boolean } {
    const taskIds = this.#forget();
    const isMore = taskIds.length > 0 || this.#shrink();
    return { taskIds, isMore };
  }

  #forget(): readonly string[] {
    const now = this.#clock.now();
    if (now >= this.#nextByAge) {
      const before = this.#clock.wallTime() - this.#retention.outcomesMs;
      const taskIds = this.#store.ended.prune(before, pieceSize);
      if (taskIds.length > 0) return taskIds;
      this.#nextByAge = now + againMs;
      this.#store.sessions.prune(before);
    }
    const { maxBytes } = this.#retention;
    if (now < this.#nextBySize || this.#store.space().usedBytes <= maxBytes) return [];
    const taskIds = this.#store.ended.pruneOldest(pieceSize);
    if (taskIds.length === 0) this.#nextBySize = now + againMs;
    return taskIds;
  }

  /** What is free is used again, unless it is most of the file. */
  #shrink(): boolean {
    const { usedBytes, freeBytes } = this.#store.space();
    if (freeBytes <= Math.max(usedBytes, maxFreeBytes)) return false;
    this.#store.shrink(pieceSize);
    return true;
  }
}
