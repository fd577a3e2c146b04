// Owns a board as the journal has it: which of its entries are there, each under a number. Pure.
import type { SessionChange, StoredSession } from '../tasks/journal/stored-session.ts';
import type { BoardState } from './board.ts';
import type { BoardEntry } from './board-entries.ts';

type BoardChange = NonNullable<SessionChange['board']>;

export class WrittenBoard {
  /** What it was at the end of an earlier process; undefined for a board that never changed. */
  readonly earlier: BoardState | undefined;
  readonly #numbers = new Map<BoardEntry, number>();
  #last = 0;

  /** What is read was written by `change`. */
  constructor(stored: StoredSession | null = null) {
    const { settings = null, entries = [] } = stored ?? {};
    for (const { seq, entry } of entries) {
      this.#numbers.set(Object.freeze(entry) as BoardEntry, seq);
      this.#last = Math.max(this.#last, seq);
    }
    if (settings === null) return;
    const kept = [...this.#numbers.keys()];
    this.earlier = { ...(settings as Omit<BoardState, 'entries'>), entries: kept };
  }

  /** What has to be written for the board to be there; an entry that stayed is the same object. */
  change({ entries, ...settings }: BoardState): BoardChange {
    const kept = new Set(entries);
    const removed: number[] = [];
    for (const [entry, seq] of this.#numbers) {
      if (kept.has(entry)) continue;
      removed.push(seq);
      this.#numbers.delete(entry);
    }
    const posted: BoardChange['posted'][number][] = [];
    for (const entry of entries) {
      if (this.#numbers.has(entry)) continue;
      this.#last += 1;
      this.#numbers.set(entry, this.#last);
      posted.push({ seq: this.#last, entry: JSON.stringify(entry) });
    }
    return { settings: JSON.stringify(settings), posted, removed };
  }
}
