// Owns the seats: how many, which is warm for whom, who waits. Leaves out how their threads are made (piscina-threads.ts).
import { type CancelTimer, type Clock, systemClock } from '../base/clock.ts';
import { type Failure, failure } from '../base/failures.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { PiscinaThreads } from './piscina-threads.ts';
import { Reuse } from './slot-reuse.ts';
import { defaultNiceness, profileKey, type ThreadProfile } from './worker-profile.ts';
import { Seat } from './worker-slot.ts';

export type PoolOptions = {
  readonly clock: Clock;
  /** Most threads at a time, dying ones included. */
  readonly max: number;
  /** Threads kept open although idle. */
  readonly min?: number;
  readonly reuse: 'warm' | 'single-use';
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which an idle thread above `min` is given up. Default 30,000. */
  readonly idleMs?: number;
  /** Where the thread entry is, for those who bundle. */
  readonly workerUrl?: URL;
  /** The address of the loader for TypeScript that this process runs under; default none. */
  readonly tsx?: string | null;
  /** A thread that no seat waits for died before it could take a job. */
  readonly onStrayError?: (error: unknown) => void;
  /** Two lives failed in quick succession on used threads with these modules: each gets a fresh one from now on. */
  readonly onReuseEnded?: (moduleSet: string, cause: Failure) => void;
  /** Life after life with these modules leaves something behind, and its thread is retired for that; told once. */
  readonly onLeftBehind?: (moduleSet: string, dirt: readonly string[]) => void;
  /** A wish has to wait for somebody to give up a thread. */
  readonly onStandstill?: () => void;
  /** A thread is there, or is gone; with a cause when nobody here had ended it. */
  readonly onThread?: (event: 'spawned' | 'lost', seat: Seat, cause?: Failure) => void;
};

/** A life's wish for a seat. */
export type SeatRequest = {
  /** Id of the actor whose life it is. */
  readonly actor: string;
  readonly profile: ThreadProfile;
  /** Names the user modules the life loads; empty for none. Seats are shared only within one set. */
  readonly moduleSet: string;
  readonly ready: (seat: Seat) => void;
  readonly failed: (cause: Failure) => void;
};

/** Every thread is taken and somebody waits for one. */
export type Standstill = {
  readonly holders: readonly { readonly actor: string; readonly seat: Seat }[];
  /** Ids of the actors that wait, oldest wish first. */
  readonly queued: readonly string[];
};

const mostOpening = 4;
const defaultIdleMs = 30_000;
const closeBoundMs = 10_000;
/** What a thread takes to end that is in no native call, on a busy machine. */
const endingMs = 2_000;

/** The seats of one profile, oldest first, and where their threads come from. */
type Lane = {
  readonly profile: ThreadProfile;
  readonly threads: PiscinaThreads;
  readonly seats: Set<Seat>;
};

/** Hands seats to lives, first come first served; never more than `max` threads. */
export class SeatPool {
  readonly #options: PoolOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #laneByProfile = new WeakMap<ThreadProfile, Lane>();
  readonly #laneOf = new Map<Seat, Lane>();
  readonly #actorOn = new Map<Seat, string>();
  readonly #waiting: SeatRequest[] = [];
  /** For clocks that stand still. */
  readonly acknowledgements = new Acknowledgements(() => this.#laneOf.keys());
  readonly #reuse = new Reuse();
  readonly #idleTimers = new Map<Seat, CancelTimer>();
  #opening = 0;
  #lastSeatId = 0;
  #lastActivation = 0;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Threads that exist or are on the way or on their way out. */
  get size(): number {
    return this.#laneOf.size;
  }

  /** A number that no other life of this pool has now; it fits a shared word. */
  nextActivation(): number {
    this.#lastActivation = this.#lastActivation >= 0x7fff_ffff ? 1 : this.#lastActivation + 1;
    return this.#lastActivation;
  }

  /** Asks for a seat; the returned function takes the wish back. */
  acquire(request: SeatRequest): () => void {
    if (this.#isClosed) {
      request.failed(failure('closed', 'the thread pool is closed'));
      return () => {};
    }
    this.#waiting.push(request);
    this.#serve();
    return () => {
      const at = this.#waiting.indexOf(request);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  /** Who holds the threads and who waits; null while a thread is free, or on its way here or out. */
  standstill(): Standstill | null {
    if (this.#waiting.length === 0 || this.size < this.#options.max) return null;
    if (this.#actorOn.size < this.size) return null;
    const holders = [...this.#actorOn].map(([seat, actor]) => ({ actor, seat }));
    if (!holders.every(({ seat }) => seat.state.status === 'busy')) return null;
    return { holders, queued: this.#waiting.map(({ actor }) => actor) };
  }

  /** Fails the wish of one that waits. */
  refuse(actor: string, cause: Failure): void {
    const at = this.#waiting.findIndex((request) => request.actor === actor);
    const [request] = at < 0 ? [] : this.#waiting.splice(at, 1);
    request?.failed(cause);
  }

  /**
   * The life on `seat` crashed or did not start, which may be the work of one before it: what that broke in the thread
   * stays broken, so the thread serves no other activation.
   */
  failed(seat: Seat, cause: Failure): void {
    seat.isSpent = true;
    const { moduleSet } = seat;
    if (!seat.hasServed || moduleSet === null) return;
    if (!this.#reuse.failed(moduleSet, this.#options.clock.now())) return;
    this.#options.onReuseEnded?.(moduleSet, cause);
    for (const other of [...this.#laneOf.keys()]) {
      if (other.isFree && other.moduleSet === moduleSet) this.#retire(other);
    }
  }

  /** A life has ended on `seat`; a dirty, spent or single-use one is retired (decision 1). */
  giveBack(seat: Seat, dirt: readonly string[]): void {
    seat.vacate();
    this.#actorOn.delete(seat);
    if (!seat.isFree) return;
    const { moduleSet } = seat;
    const isSingleUse = this.#options.reuse === 'single-use' || !this.#reuse.allows(moduleSet);
    if (moduleSet !== null && !isSingleUse && this.#reuse.leftBehind(moduleSet, dirt.length > 0)) {
      this.#options.onLeftBehind?.(moduleSet, dirt);
    }
    if (dirt.length > 0 || seat.isSpent || isSingleUse || this.#isClosed) {
      this.#retire(seat);
      if (isSingleUse) this.#replace(seat);
      return;
    }
    this.#serve();
    if (seat.isFree) this.#watchIdle(seat);
  }

  /** Opens threads ahead of need; resolves when that many are there. Rejects never: a failed one is reported lost. */
  async prewarm(count: number, profile: ThreadProfile = {}): Promise<void> {
    const lane = this.#lane(profile);
    const opened: Promise<void>[] = [];
    for (let missing = count - lane.seats.size; missing > 0; missing -= 1) {
      if (this.#isClosed || this.size >= this.#options.max) break;
      opened.push(new Promise((resolve) => this.#open(lane, resolve)));
    }
    await Promise.all(opened);
  }

  /**
   * Ends every thread; resolves after the last exit, or 10 s later when one hangs in native code, with why that is (V6).
   * Such a thread keeps the process from its end until its call returns.
   */
  async close(): Promise<Failure | null> {
    this.#isClosed = true;
    for (const request of this.#waiting.splice(0)) {
      request.failed(failure('closed', 'the thread pool closed'));
    }
    for (const cancel of this.#idleTimers.values()) cancel();
    this.#idleTimers.clear();
    const seats = [...this.#laneOf.keys()];
    // A thread that ends takes with it what its tools printed and the host has not read yet.
    const printing = seats.filter((seat) => seat.isFree && seat.moduleSet !== null);
    for (const seat of seats) if (!printing.includes(seat)) seat.kill();
    await Promise.all(printing.map((seat) => this.acknowledgements.of(seat)));
    for (const seat of printing) seat.kill();
    const { clock } = this.#options;
    const ended = this.#ended();
    await firstOf(ended, clock, closeBoundMs);
    // A manual clock knows nothing of how long a thread takes to end.
    if (clock !== systemClock) await firstOf(ended, systemClock, endingMs);
    if (this.size === 0) return null;
    const why =
      'in a synchronous native call, such as execSync; the process cannot exit before it returns';
    return failure('wedged', `${this.size} of the threads did not end: ${why}`);
  }

  async #ended(): Promise<void> {
    if (this.#laneOf.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    for (const { threads } of this.#lanes.values()) await threads.destroy();
  }

  #serve(): void {
    for (let at = 0; at < this.#waiting.length; ) {
      const request = this.#waiting[at];
      if (request === undefined) return;
      const seat = this.#freeSeat(request);
      if (seat === null) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.#idleTimers.get(seat)?.();
      this.#idleTimers.delete(seat);
      if (request.moduleSet !== '') {
        seat.hasServed = seat.moduleSet !== null;
        seat.moduleSet = request.moduleSet;
      }
      this.#actorOn.set(seat, request.actor);
      request.ready(seat);
    }
    this.#openForWaiting();
    if (this.#waiting.length > 0) this.#options.onStandstill?.();
  }

  /** The warmest seat that may serve the wish: same modules first, then one that has loaded none. */
  #freeSeat({ profile, moduleSet }: SeatRequest): Seat | null {
    const lane = this.#lane(profile);
    let pristine: Seat | null = null;
    for (const seat of lane.seats) {
      if (!seat.isFree) continue;
      if (seat.moduleSet === moduleSet || (moduleSet === '' && seat.moduleSet === null)) {
        return seat;
      }
      if (seat.moduleSet === null) pristine = seat;
    }
    return pristine;
  }

  #openForWaiting(): void {
    let wanted = this.#waiting.length - this.#opening;
    let leaving = this.size - this.#staying;
    for (const request of this.#waiting) {
      if (wanted <= 0 || this.#opening >= mostOpening) return;
      wanted -= 1;
      if (this.size < this.#options.max) this.#open(this.#lane(request.profile));
      // The exit of one that makes way already opens the next.
      else if (leaving > 0) leaving -= 1;
      else if (!this.#giveUpIdle()) return;
    }
  }

  /** An idle seat of other modules makes way; its thread's exit opens the next one. */
  #giveUpIdle(): boolean {
    for (const seat of this.#laneOf.keys()) {
      if (!seat.isFree) continue;
      this.#retire(seat);
      return true;
    }
    return false;
  }

  #retire(seat: Seat): void {
    this.#idleTimers.get(seat)?.();
    this.#idleTimers.delete(seat);
    seat.kill();
  }

  #replace(seat: Seat): void {
    const lane = this.#laneOf.get(seat);
    if (lane !== undefined && this.size < this.#options.max && !this.#isClosed) this.#open(lane);
  }

  #open(lane: Lane, onSettled?: () => void): void {
    this.#opening += 1;
    this.#lastSeatId += 1;
    let isOpening = true;
    const settle = (): void => {
      if (!isOpening) return;
      isOpening = false;
      this.#opening -= 1;
      onSettled?.();
    };
    const seat = new Seat(this.#lastSeatId, lane.threads, {
      niceness: lane.profile.niceness ?? defaultNiceness,
      tsx: this.#options.tsx ?? null,
      events: {
        online: (opened) => {
          settle();
          this.#options.onThread?.('spawned', opened);
          this.#serve();
          if (opened.isFree) this.#watchIdle(opened);
        },
        gone: (lost, cause) => {
          settle();
          this.#gone(lost, cause);
        },
      },
    });
    lane.seats.add(seat);
    this.#laneOf.set(seat, lane);
  }

  #gone(seat: Seat, cause: Failure): void {
    const lane = this.#laneOf.get(seat);
    lane?.seats.delete(seat);
    this.#laneOf.delete(seat);
    this.#actorOn.delete(seat);
    this.#idleTimers.get(seat)?.();
    this.#idleTimers.delete(seat);
    this.#options.onThread?.('lost', seat, seat.wasEnded ? undefined : cause);
    if (this.#laneOf.size === 0) this.#onEmpty?.();
    if (this.#isClosed) return;
    if (cause.code === 'spawn_failed') {
      // The thread never came up: no wish for its like is served by trying the same again for ever.
      for (const { actor, profile } of [...this.#waiting]) {
        if (this.#lane(profile) === lane) this.refuse(actor, cause);
      }
    }
    this.#openForWaiting();
  }

  /** Threads that are not on their way out. */
  get #staying(): number {
    return [...this.#laneOf.keys()].filter(({ state }) => state.status !== 'dying').length;
  }

  #watchIdle(seat: Seat): void {
    const { clock, idleMs = defaultIdleMs, min = 0 } = this.#options;
    this.#idleTimers.get(seat)?.();
    const cancel = clock.after(idleMs, () => {
      this.#idleTimers.delete(seat);
      // Piscina would lend it again, with what its lives have loaded: a thread that is given up ends.
      if (seat.isFree && this.#staying > min) seat.kill();
    });
    this.#idleTimers.set(seat, cancel);
  }

  #lane(profile: ThreadProfile): Lane {
    // The same object is asked for again and again; its key is made once.
    const seen = this.#laneByProfile.get(profile);
    if (seen !== undefined) return seen;
    const key = profileKey(profile);
    const known = this.#lanes.get(key);
    if (known !== undefined) {
      this.#laneByProfile.set(profile, known);
      return known;
    }
    const { max, env, workerUrl, onStrayError = () => {} } = this.#options;
    const seats = new Set<Seat>();
    const threads = new PiscinaThreads(profile, {
      max,
      env,
      workerUrl,
      onStillborn: (error) => {
        // As many wait for a thread as were to come: the last in the queue is the one that gets none.
        const seat = [...seats].findLast(({ isOpening }) => isOpening);
        if (seat === undefined) onStrayError(error);
        else seat.giveUp(error);
      },
    });
    const lane: Lane = { profile, threads, seats };
    this.#lanes.set(key, lane);
    return lane;
  }
}

/** Resolves when something has ended, or its time is over. */
async function firstOf(ended: Promise<void>, clock: Clock, ms: number): Promise<void> {
  let giveUp: CancelTimer = () => {};
  const bound = new Promise<void>((resolve) => {
    giveUp = clock.after(ms, resolve);
  });
  await Promise.race([ended, bound]);
  giveUp();
}
