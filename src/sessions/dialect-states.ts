// Owns what the dialects of one session keep: each is opened at its first use, and ends with the session. Leaves out when
// a session is forgotten.
import type { Dialect, DialectState, Retention, SessionHost } from './dialect.ts';
import type { RunEnd, SessionEnd } from './run-end.ts';

export class DialectStates {
  readonly #hostOf: (isCurrent: () => boolean) => SessionHost;
  readonly #states = new Map<Dialect, DialectState>();
  /** Runs of the program's loop that are on. */
  #runs = 0;

  /** `isCurrent` is false for what was kept before a reset. */
  constructor(hostOf: (isCurrent: () => boolean) => SessionHost) {
    this.#hostOf = hostOf;
  }

  use<State extends DialectState>(dialect: Dialect<State>): State {
    // What a dialect opened is all that is ever put at its key.
    const kept = this.#states.get(dialect) as State | undefined;
    if (kept !== undefined) return kept;
    const isCurrent = (): boolean => this.#states.get(dialect) === state;
    const state: State = dialect.open(this.#hostOf(isCurrent));
    this.#states.set(dialect, state);
    for (let count = 0; count < this.#runs; count += 1) state.beginRun?.();
    return state;
  }

  beginRun(): void {
    this.#runs += 1;
    for (const state of this.#states.values()) state.beginRun?.();
  }

  endRun(): Omit<RunEnd, 'expired'> {
    this.#runs = Math.max(0, this.#runs - 1);
    const ends = this.#all().flatMap((state) => state.endRun?.() ?? []);
    return {
      removed: ends.flatMap(({ removed }) => removed),
      kept: ends.flatMap(({ kept }) => kept),
      running: ends.flatMap(({ running }) => running),
      unread: ends.flatMap(({ unread }) => unread),
    };
  }

  /** Nothing is kept from then on. */
  async reset(): Promise<SessionEnd> {
    const states = this.#all();
    this.#states.clear();
    this.#runs = 0;
    const ends = await Promise.all(states.flatMap((state) => state.reset?.() ?? []));
    return {
      removed: ends.flatMap(({ removed }) => removed),
      interrupted: ends.reduce((sum, { interrupted }) => sum + interrupted, 0),
      unread: ends.flatMap(({ unread }) => unread),
    };
  }

  /** What the session keeps for all of them together. */
  retention(): Retention {
    const retentions = this.#all().flatMap((state) => state.retention?.() ?? []);
    if (retentions.some(({ need }) => need === 'needed')) return { need: 'needed' };
    const idle = retentions.flatMap((each) => (each.need === 'idle' ? each.agents : []));
    if (idle.length === 0 && this.#runs === 0) return { need: 'none' };
    return { need: 'idle', agents: idle.reduce((sum, agents) => sum + agents, 0) };
  }

  #all(): readonly DialectState[] {
    return [...this.#states.values()];
  }
}
