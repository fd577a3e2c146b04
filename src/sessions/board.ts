// Owns the board of one session: its entries, whether it is on, what is told of a post. Leaves out how a model sees it.
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

export type BoardSettings = {
  /** Entries it holds at most; the oldest go first (A66). Default 300 (A14). */
  readonly maxEntries?: number;
  /** The zone that times of entries are shown in, such as `Europe/Berlin` (A60). Default `UTC`. */
  readonly timeZone?: string;
};

export type BoardOptions = {
  readonly clock: Pick<Clock, 'wallTime'>;
  /** Told of each entry, after it is there. */
  readonly onPosted: (entry: BoardEntry) => void;
};

const settingsSchema = z.strictObject({
  maxEntries: z.number().int().min(1).max(maxEntries).optional(),
  timeZone: z.string().refine(isTimeZone, 'expected a time zone such as Europe/Berlin').optional(),
});

/** What the agents of one session tell each other, and nobody of another session (A19). Off until it is turned on (A13). */
export class Board {
  readonly #options: BoardOptions;
  #entries: readonly BoardEntry[] = [];
  #isOn = false;
  #maxEntries = 300;
  #timeZone = 'UTC';

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  get maxEntries(): number {
    return this.#maxEntries;
  }

  get timeZone(): string {
    return this.#timeZone;
  }

  /**
   * Turns the board on, or changes its settings when it is: what is left out stays. A lower `maxEntries` trims what is
   * there. Throws `invalid_options` and changes nothing then.
   */
  turnOn(settings: BoardSettings = {}): void {
    const parsed = parseOptions(settingsSchema, settings, 'board');
    this.#maxEntries = parsed.maxEntries ?? this.#maxEntries;
    this.#timeZone = parsed.timeZone ?? this.#timeZone;
    this.#entries = trimmed(this.#entries, this.#maxEntries);
    this.#isOn = true;
  }

  /** Nobody is told of it any more and nobody may post; what stands on it stays, for when it is turned on again. */
  turnOff(): void {
    this.#isOn = false;
  }

  /**
   * Puts an entry on the board, which is published as `board_posted`. It is there for the next model call of every agent
   * of the session that is told of the board (A65). Throws `board_disabled` while it is off, `invalid_options` for what is no
   * entry.
   */
  post(post: BoardPost): BoardEntry {
    this.mustBeOn();
    const entry = Object.freeze(toEntry(post, this.#options.clock.wallTime()));
    this.#entries = withEntry(this.#entries, entry, this.#maxEntries);
    this.#options.onPosted(entry);
    return entry;
  }

  /** Throws `board_disabled` while the board is off. */
  mustBeOn(): void {
    if (!this.#isOn)
      throw new TroupeError('board_disabled', 'The board of this session is turned off.');
  }

  /** What stands on the board, oldest first; with `agent` only what it sent, and what is for it or for everybody (A68). */
  entries({ agent }: { readonly agent?: string } = {}): readonly BoardEntry[] {
    if (agent === undefined) return this.#entries;
    return this.#entries.filter((entry) => concerns(entry, agent));
  }

  /** Takes down what an agent sent, and what is for it alone; returns how many entries that were (A68, A71). */
  removeAgent(agent: string): number {
    return this.#keep((entry) => !belongsTo(entry, agent));
  }

  /** Takes everything down; returns how many entries that were. */
  clear(): number {
    return this.#keep(() => false);
  }

  #keep(survivesCrash: (entry: BoardEntry) => boolean): number {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter(survivesCrash);
    return before - this.#entries.length;
  }
}
