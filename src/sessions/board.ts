// Owns the board of one session: its entries, whether it is on, what a post emits. Leaves out how a model sees it.
import { z } from 'zod';
import { isTimeZone } from '../agent/prompt/time.ts';
import type { Clock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import {
  type BoardEntry,
  type BoardPost,
  belongsTo,
  concerns,
  maxEntries,
  toEntry,
  trimmed,
  withEntry,
} from './board-entries.ts';

/** How a board is turned on. */
export type BoardSettings = {
  /** Maximum number of entries; the oldest are removed first. Default 300. */
  readonly maxEntries?: number;
  /** The zone that times of entries are shown in, such as `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string;
};

export type BoardOptions = {
  readonly clock: Pick<Clock, 'wallTime'>;
  /** Receives each entry, after it was added. */
  readonly onPosted: (entry: BoardEntry) => void;
  /** It is not what it was. */
  readonly onChanged?: (board: BoardState) => void;
};

/** A board as plain data. */
export type BoardState = Required<BoardSettings> & {
  readonly isOn: boolean;
  /** The oldest first. */
  readonly entries: readonly BoardEntry[];
};

const newBoard: BoardState = { isOn: false, maxEntries: 300, timeZone: 'UTC', entries: [] };

const settingsSchema = z.strictObject({
  maxEntries: z.number().int().min(1).max(maxEntries).optional(),
  timeZone: z.string().refine(isTimeZone, 'expected a time zone such as Europe/Berlin').optional(),
});

/** Messages among the agents of one session, hidden from other sessions. Off until it is turned on. */
export class Board {
  readonly #options: BoardOptions;
  #state: BoardState;

  constructor(options: BoardOptions, state = newBoard) {
    this.#options = options;
    this.#state = state;
  }

  /** Whether agents may read it and post. */
  get isOn(): boolean {
    return this.#state.isOn;
  }

  /** Entries it keeps; the oldest are removed first. */
  get maxEntries(): number {
    return this.#state.maxEntries;
  }

  /** The zone that times of entries are shown in. */
  get timeZone(): string {
    return this.#state.timeZone;
  }

  /**
   * Turns the board on, or changes its settings when it is on; settings that are left out do not change. A lower
   * `maxEntries` trims the entries. Throws `invalid_options`, and then changes nothing.
   */
  turnOn(settings: BoardSettings = {}): void {
    const parsed = parseOptions(settingsSchema, settings, 'board');
    const { maxEntries = this.maxEntries, timeZone = this.timeZone } = parsed;
    const entries = trimmed(this.#state.entries, maxEntries);
    this.#become({ isOn: true, maxEntries, timeZone, entries });
  }

  /** Turns the board off: agents no longer see it and `post` throws. Its entries are kept for when it is on again. */
  turnOff(): void {
    if (this.isOn) this.#become({ ...this.#state, isOn: false });
  }

  /**
   * Puts an entry on the board and emits `board_posted`. The next model call of every agent of the session that sees
   * the board includes it. Throws `board_disabled` while the board is off, `invalid_options` for a bad entry.
   */
  post(post: BoardPost): BoardEntry {
    this.mustBeOn();
    const entry = Object.freeze(toEntry(post, this.#options.clock.wallTime()));
    const entries = withEntry(this.#state.entries, entry, this.maxEntries);
    this.#become({ ...this.#state, entries });
    this.#options.onPosted(entry);
    return entry;
  }

  /** Throws `board_disabled` while the board is off. */
  mustBeOn(): void {
    if (!this.isOn)
      throw new TroupeError('board_disabled', 'The board of this session is turned off.');
  }

  /** The entries, oldest first; with `agent` only those it sent, and those for it or for all agents. */
  entries({ agent }: { readonly agent?: string } = {}): readonly BoardEntry[] {
    const { entries } = this.#state;
    if (agent === undefined) return entries;
    return entries.filter((entry) => concerns(entry, agent));
  }

  /** Takes down what an agent sent, and what is for it alone; returns how many entries that were. */
  removeAgent(agent: string): number {
    return this.#keep((entry) => !belongsTo(entry, agent));
  }

  /** Takes everything down; returns how many entries that were. */
  clear(): number {
    return this.#keep(() => false);
  }

  #keep(isKept: (entry: BoardEntry) => boolean): number {
    const before = this.#state.entries;
    const entries = before.filter(isKept);
    if (entries.length < before.length) this.#become({ ...this.#state, entries });
    return before.length - entries.length;
  }

  #become(state: BoardState): void {
    this.#state = state;
    this.#options.onChanged?.(state);
  }
}
