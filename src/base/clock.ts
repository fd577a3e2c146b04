// Owns time and chance: the monotonic clock every policy is measured on, its manual double, the one source of random.
import { describe, TroupeError } from './failures.ts';
import { nextTurn } from './next-turn.ts';

/** Cancels a timer; calling it twice, or after it fired, does nothing. */
export type CancelTimer = () => void;

/** Monotonic milliseconds and timers. Policy time is read here and nowhere else. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back. */
  now(): number;
  /** Milliseconds since 1970, for records that people read. */
  wallTime(): number;
  /** Calls `fire` once, `delayMs` from now. The timer does not keep the process alive. */
  after(delayMs: number, fire: () => void): CancelTimer;
}

/** 24.8 days. Node fires a longer delay at once: it is waited for in pieces. */
const maxTimerMs = 2_147_483_647;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  after(delayMs, fire) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      timer =
        leftMs > maxTimerMs
          ? setTimeout(() => arm(leftMs - maxTimerMs), maxTimerMs)
          : setTimeout(fire, Math.max(leftMs, 0));
      timer.unref();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};

/** Calls `fire` again and again, for as long as the thread lives, by one timer that does not keep the process alive. */
export function repeatedly(everyMs: number, fire: () => void): void {
  const timer = setTimeout(() => {
    fire();
    timer.refresh();
  }, everyMs);
  timer.unref();
}

/** Monotonic milliseconds that every thread of the process reads alike; `now` of each thread's own clock begins elsewhere. */
export function processTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/** A moment of `clock` as the threads know it; Infinity when that clock runs unlike theirs. */
export function inProcessTime(clock: Clock, at: number): number {
  return clock === systemClock ? processTime() + at - clock.now() : Number.POSITIVE_INFINITY;
}

/** Chance in [0, 1), for jitter; tests hand in their own. */
export const systemRandom = (): number => Math.random();

const lingerMs = 20;

/** Keeps the process alive while at least one entry is open, and 20 ms longer. Without entries it has no effect. */
export class ProcessRef {
  #count = 0;
  #handle: NodeJS.Timeout | null = null;
  #release: NodeJS.Timeout | null = null;
  #isReferenced = false;

  enter(): void {
    this.#count += 1;
    if (this.#isReferenced) return;
    // A referenced timer is the cheapest handle there is; its delay is 24.8 days, and firing has no effect.
    this.#handle ??= setInterval(() => {}, maxTimerMs);
    this.#handle.ref();
    this.#isReferenced = true;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#release !== null) return;
    // Asks come one after another: the handle is let go when a moment has passed without any, not between two.
    this.#release = setTimeout(() => this.#letGo(), lingerMs);
    this.#release.unref();
  }

  #letGo(): void {
    this.#release = null;
    if (this.#count > 0) return;
    this.#handle?.unref();
    this.#isReferenced = false;
  }

  /** Keeps the process alive until the promise settles. */
  async during<Value>(promise: Promise<Value>): Promise<Value> {
    this.enter();
    try {
      return await promise;
    } finally {
      this.leave();
    }
  }

  /** Stops keeping the process alive. */
  close(): void {
    if (this.#handle !== null) clearInterval(this.#handle);
    if (this.#release !== null) clearTimeout(this.#release);
    this.#handle = null;
    this.#release = null;
    this.#isReferenced = false;
  }
}

type ManualTimer = { readonly dueAt: number; readonly order: number; readonly fire: () => void };

/**
 * A clock that does not move until it is advanced.
 * `advance` resolves when every timer it fired has run and all work registered with `settleWith` has caught up: a
 * supervisor on this clock has its threads acknowledge, so that their timeouts can be tested to the millisecond.
 *
 * @example
 * ```js
 * import { createSupervisor } from 'troupe';
 * import { ManualClock, scripted } from 'troupe/testing';
 *
 * const clock = new ManualClock();
 * const supervisor = createSupervisor({
 *   clock,
 *   model: scripted({ default: [{ hang: true }] }),
 *   timeouts: { idleTimeoutMs: 60_000 },
 * });
 * try {
 *   const begun = new Promise((resolve) => supervisor.on('turn_started', resolve));
 *   const handle = supervisor.start({ goal: 'Think for ever.' });
 *   await begun; // in a thread of its own
 *   await clock.advance(59_999);
 *   console.log(handle.status()); // → waiting
 *   await clock.advance(1);
 *   const { status, exitReason } = await handle.result();
 *   console.log(status, exitReason); // → timeout idle_timeout
 * } finally {
 *   await supervisor.close();
 * }
 * ```
 */
export class ManualClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #start: number;
  readonly #timers = new Set<ManualTimer>();
  readonly #settlers = new Set<() => Promise<void>>();

  /** `startWallTime` in milliseconds since 1970, default the first of January 2026. Throws `invalid_options`, as all that takes arguments here. */
  constructor(startWallTime: number = Date.UTC(2026, 0, 1)) {
    check('startWallTime', startWallTime, Number.isFinite(startWallTime), 'a finite number of ms');
    this.#start = startWallTime;
  }

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return this.#start + this.#now;
  }

  after(delayMs: number, fire: () => void): CancelTimer {
    // Infinity never falls due.
    check('delayMs', delayMs, Number.isFinite(delayMs) || delayMs === Infinity, 'a number of ms');
    check('fire', fire, typeof fire === 'function', 'a function');
    this.#order += 1;
    const timer = { dueAt: this.#now + Math.max(delayMs, 0), order: this.#order, fire };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Timers that have not fired; what a leak check counts. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Registers work that `advance` awaits after each timer, so that threads have acknowledged what it set off. */
  settleWith(settle: () => Promise<void>): () => void {
    check('settle', settle, typeof settle === 'function', 'a function');
    this.#settlers.add(settle);
    return () => {
      this.#settlers.delete(settle);
    };
  }

  /** Moves time forward, firing what falls due in order of time, then of registration. Keeps the process alive meanwhile. */
  async advance(ms: number): Promise<void> {
    check(
      'ms',
      ms,
      Number.isFinite(ms) && ms >= 0,
      'a finite number of ms from 0: time never goes back',
    );
    // Timers and threads do not keep the process alive, and what did may have ended during this move.
    const handle = setInterval(() => {}, maxTimerMs);
    try {
      await this.#advance(ms);
    } finally {
      clearInterval(handle);
    }
  }

  async #advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await this.#settle();
    for (let due = this.#nextDue(target); due !== null; due = this.#nextDue(target)) {
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.dueAt);
      due.fire();
      await this.#settle();
    }
    // Of two moves at a time, the other may have come further.
    this.#now = Math.max(this.#now, target);
    await this.#settle();
  }

  #nextDue(target: number): ManualTimer | null {
    let next: ManualTimer | null = null;
    for (const timer of this.#timers) {
      if (timer.dueAt > target) continue;
      const isEarlier =
        next === null ||
        timer.dueAt < next.dueAt ||
        (timer.dueAt === next.dueAt && timer.order < next.order);
      if (isEarlier) next = timer;
    }
    return next;
  }

  async #settle(): Promise<void> {
    // One macrotask lets promise chains and posted messages of this thread run to their end.
    await nextTurn();
    for (const settle of this.#settlers) await settle();
  }
}

function check(field: string, value: unknown, isRight: boolean, expected: string): void {
  if (isRight) return;
  const seen = describe(value);
  throw new TroupeError(
    'invalid_options',
    `ManualClock: ${field} is ${seen}: expected ${expected}`,
    {
      detail: { field, seen },
    },
  );
}
