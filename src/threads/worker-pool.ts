// Owns the slots: how many, which to reuse, which requests wait. Leaves out how threads are made (piscina-threads.ts).
import { type Clock, systemClock } from '../base/clock.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import { acknowledgement } from './acknowledgements.ts';
import { PiscinaThreads } from './piscina-threads.ts';
import { leftBehind, Reuse, reuseEnded } from './slot-reuse.ts';
import { profileKey, type WorkerProfile } from './worker-profile.ts';
import { type SlotUser, WorkerSlot } from './worker-slot.ts';

export type PoolOptions = {
  readonly clock: Clock;
  /** Maximum number of threads at a time, dying ones included; a brief request may open one more. */
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
  /** What the pool noticed of threads that cannot be used again, or not at all. */
  readonly onLog?: (entry: PoolLog) => void;
  /** A request has to wait until an activation gives up a thread. */
  readonly onSaturated?: () => void;
  /** A thread is there, or is gone; with a cause when the pool had not ended it. */
  readonly onThread?: (event: 'spawned' | 'lost', cause?: Failure) => void;
};

export type PoolLog = {
  readonly level: 'warn' | 'error';
  readonly message: string;
  readonly failure: Failure;
};

/** Every thread is in use and at least one request waits. */
export type PoolSaturation = {
  readonly users: readonly { readonly actor: string; readonly slot: WorkerSlot }[];
  /** Ids of the actors that wait, oldest request first. */
  readonly queued: readonly string[];
};

const maxOpening = 4;
const defaultIdleMs = 30_000;
const closeBoundMs = 10_000;
/** What a thread takes to end that is in no native call, on a busy machine. */
const endingMs = 2_000;

/** Gives slots to activations, first come first served but for brief ones; never more than `max` threads, and one for those. */
export class WorkerPool {
  readonly #options: PoolOptions;
  /** Oldest first. */
  readonly #slots = new Set<WorkerSlot>();
  readonly #waiting: SlotUser[] = [];
  readonly #threads = new Map<string, PiscinaThreads>();
  /** The same profile object is asked for again and again; its key is made once. */
  readonly #threadsByProfile = new WeakMap<WorkerProfile, PiscinaThreads>();
  readonly #reuse = new Reuse();
  #lastActivation = 0;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Threads that exist or are on the way or on their way out. */
  get size(): number {
    return this.#slots.size;
  }

  /** A number that no other activation of this pool has now; it fits into a shared 32-bit flag. */
  nextActivation(): number {
    this.#lastActivation = this.#lastActivation >= 0x7fff_ffff ? 1 : this.#lastActivation + 1;
    return this.#lastActivation;
  }

  /** Gives the activation a slot, now or later, or refuses it one. */
  acquire(user: SlotUser): void {
    if (this.#isClosed) {
      user.refused(failure('closed', 'the thread pool is closed'));
      return;
    }
    const at = isBrief(user) ? this.#waiting.findIndex((each) => !isBrief(each)) : -1;
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, user);
    this.#serve();
  }

  /** The activation waits no longer. */
  cancel(user: SlotUser): void {
    const at = this.#waiting.indexOf(user);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** Which actors use the threads and which wait; null while a thread is free, opening or ending. */
  saturation(): PoolSaturation | null {
    if (this.#waiting.length === 0 || this.size < this.#options.max) return null;
    const users: { actor: string; slot: WorkerSlot }[] = [];
    for (const slot of this.#slots) {
      if (slot.status !== 'busy' || slot.user === null) return null;
      users.push({ actor: slot.user.actor, slot });
    }
    return { users, queued: this.#waiting.map(({ actor }) => actor) };
  }

  /** Fails the request of an actor that waits. */
  refuse(actor: string, cause: Failure): void {
    const at = this.#waiting.findIndex((user) => user.actor === actor);
    const [user] = at < 0 ? [] : this.#waiting.splice(at, 1);
    user?.refused(cause);
  }

  /**
   * The activation on `slot` crashed or did not start, possibly because an earlier one broke something in the thread:
   * the thread serves no other activation.
   */
  failed(slot: WorkerSlot, cause: Failure): void {
    slot.isSpent = true;
    const { moduleSet } = slot;
    if (!slot.hasServed || moduleSet === null) return;
    if (!this.#reuse.failed(moduleSet, this.#options.clock.now())) return;
    const message = reuseEnded(moduleSet);
    this.#options.onLog?.({ level: 'warn', message, failure: cause });
    for (const other of [...this.#slots]) {
      if (other.isFree && other.moduleSet === moduleSet) other.kill();
    }
  }

  /** An activation has ended on `slot`; a dirty, spent or single-use one is retired (decision 1). */
  release(slot: WorkerSlot, leaks: readonly string[]): void {
    slot.clear();
    if (!slot.isFree) return;
    const { max, reuse, onLog } = this.#options;
    const { moduleSet } = slot;
    const isSingleUse = reuse === 'single-use' || !this.#reuse.allows(moduleSet);
    if (moduleSet !== null && !isSingleUse && this.#reuse.leftBehind(moduleSet, leaks.length > 0)) {
      onLog?.({ level: 'warn', ...leftBehind(moduleSet, leaks) });
    }
    const isSurplus = this.#staying > max;
    if (leaks.length > 0 || slot.isSpent || isSingleUse || isSurplus || this.#isClosed) {
      slot.kill();
      if (isSingleUse && this.size < max && !this.#isClosed) this.#open(slot.threads);
      return;
    }
    this.#serve();
    if (slot.isFree) this.#watchIdle(slot);
  }

  /** Opens threads ahead of need; resolves when that many are there. Never rejects: a failed one is reported lost. */
  async prewarm(count: number, profile: WorkerProfile = {}): Promise<void> {
    const threads = this.#threadsFor(profile);
    const opened: Promise<void>[] = [];
    const there = [...this.#slots].filter((slot) => slot.threads === threads).length;
    for (let missing = count - there; missing > 0; missing -= 1) {
      if (this.#isClosed || this.size >= this.#options.max) break;
      const slot = this.#open(threads);
      opened.push(new Promise((resolve) => slot.ping(resolve)));
    }
    await Promise.all(opened);
  }

  /** Changes with every message that a thread has sent, beside its answers to pings. */
  get traffic(): number {
    let count = 0;
    for (const { traffic } of this.#slots) count += traffic;
    return count;
  }

  /**
   * Resolves when every thread with something to do has read what was posted to it so far and has no request of its own
   * under way, and those that come or go are there or gone. One that gives no sign for a second spins or is blocked: it is
   * not waited for again before it does.
   */
  async acknowledged(): Promise<void> {
    const asked = [...this.#slots].filter(({ isFree, isSilent }) => !isFree && !isSilent);
    await Promise.all(asked.map(acknowledgement));
  }

  /**
   * Ends every thread; resolves after the last exit, or 10 s later when one hangs in native code, with why that is (V6).
   * Such a thread keeps the process from its end until its call returns.
   */
  async close(): Promise<Failure | null> {
    this.#isClosed = true;
    for (const user of this.#waiting.splice(0)) {
      user.refused(failure('closed', 'the thread pool closed'));
    }
    const slots = [...this.#slots];
    // A thread that ends takes with it what its tools printed and the host has not read yet.
    const printing = slots.filter((slot) => slot.isFree && slot.moduleSet !== null);
    for (const slot of slots) if (!printing.includes(slot)) slot.kill();
    await Promise.all(printing.map(acknowledgement));
    for (const slot of printing) slot.kill();
    const { clock } = this.#options;
    const ended = this.#ended();
    await resolvedWithin(ended, { clock, timeoutMs: closeBoundMs });
    // A manual clock knows nothing of how long a thread takes to end.
    if (clock !== systemClock) {
      await resolvedWithin(ended, { clock: systemClock, timeoutMs: endingMs });
    }
    if (this.size === 0) return null;
    const why =
      'in a synchronous native call, such as execSync; the process cannot exit before it returns';
    return failure('unresponsive', `${this.size} of the threads did not end: ${why}`);
  }

  async #ended(): Promise<void> {
    if (this.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    for (const threads of this.#threads.values()) await threads.destroy();
  }

  #serve(): void {
    for (let at = 0; at < this.#waiting.length; ) {
      const user = this.#waiting[at];
      if (user === undefined) return;
      const slot = this.#freeSlot(user);
      if (slot === null) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      slot.cancelIdle();
      slot.use(user);
    }
    this.#openForWaiting();
    if (this.#waiting.length > 0) this.#options.onSaturated?.();
  }

  /** The free slot that serves the request best: same modules first, then one that has loaded none. */
  #freeSlot({ options: { profile, moduleSet } }: SlotUser): WorkerSlot | null {
    const threads = this.#threadsFor(profile);
    let pristine: WorkerSlot | null = null;
    for (const slot of this.#slots) {
      if (!slot.isFree || slot.threads !== threads) continue;
      if (slot.moduleSet === moduleSet) return slot;
      if (slot.moduleSet === null) pristine ??= slot;
    }
    return pristine;
  }

  #openForWaiting(): void {
    if (this.#waiting.length === 0) return;
    let opening = 0;
    for (const { isOpening } of this.#slots) if (isOpening) opening += 1;
    let wanted = this.#waiting.length - opening;
    let leaving = this.size - this.#staying;
    for (const user of this.#waiting) {
      if (wanted <= 0 || opening >= maxOpening) return;
      wanted -= 1;
      const max = this.#options.max + (isBrief(user) ? 1 : 0);
      if (this.size < max) {
        this.#open(this.#threadsFor(user.options.profile));
        opening += 1;
      }
      // The exit of one that makes way already opens the next.
      else if (leaving > 0) leaving -= 1;
      else if (!this.#giveUpIdle()) return;
    }
  }

  /** An idle slot of other modules makes way; its thread's exit opens the next one. */
  #giveUpIdle(): boolean {
    for (const slot of this.#slots) {
      if (!slot.isFree) continue;
      slot.kill();
      return true;
    }
    return false;
  }

  #open(threads: WorkerSlot['threads']): WorkerSlot {
    const slot = new WorkerSlot(threads, {
      online: () => {
        this.#options.onThread?.('spawned');
        this.#serve();
        if (slot.isFree) this.#watchIdle(slot);
      },
      gone: (cause, wasEnded) => this.#gone(slot, cause, wasEnded),
    });
    this.#slots.add(slot);
    return slot;
  }

  #gone(slot: WorkerSlot, cause: Failure, wasEnded: boolean): void {
    this.#slots.delete(slot);
    slot.cancelIdle();
    this.#options.onThread?.('lost', wasEnded ? undefined : cause);
    if (this.size === 0) this.#onEmpty?.();
    if (this.#isClosed) return;
    if (cause.code === 'spawn_failed') {
      // The thread failed to start: requests for its profile fail, since another attempt would fail in the same way.
      for (const { actor, options } of [...this.#waiting]) {
        if (this.#threadsFor(options.profile) === slot.threads) this.refuse(actor, cause);
      }
    }
    this.#openForWaiting();
  }

  /** Threads that are not on their way out. */
  get #staying(): number {
    let count = 0;
    for (const { status } of this.#slots) if (status !== 'dying') count += 1;
    return count;
  }

  #watchIdle(slot: WorkerSlot): void {
    const { clock, idleMs = defaultIdleMs, min = 0 } = this.#options;
    slot.cancelIdle();
    slot.cancelIdle = clock.after(idleMs, () => {
      // Piscina would reuse it, with what its activations have loaded: a thread that is given up ends.
      if (slot.isFree && this.#staying > min) slot.kill();
    });
  }

  #threadsFor(profile: WorkerProfile): PiscinaThreads {
    const known = this.#threadsByProfile.get(profile);
    if (known !== undefined) return known;
    const key = profileKey(profile);
    const threads = this.#threads.get(key) ?? this.#newThreads(profile);
    this.#threads.set(key, threads);
    this.#threadsByProfile.set(profile, threads);
    return threads;
  }

  #newThreads(profile: WorkerProfile): PiscinaThreads {
    const { max, tsx = null } = this.#options;
    const threads: PiscinaThreads = new PiscinaThreads(profile, {
      ...this.#options,
      max: max + 1,
      tsx,
      onFailedToStart: (error) => this.#failedToStart(threads, error),
    });
    return threads;
  }

  /** As many wait for a thread as were to come: the last in the queue is the one that gets none. */
  #failedToStart(threads: PiscinaThreads, error: unknown): void {
    const isWithout = (slot: WorkerSlot): boolean => slot.threads === threads && slot.isOpening;
    const slot = [...this.#slots].findLast(isWithout);
    if (slot !== undefined) slot.giveUp(error);
    // Closing ends threads that are still on their way.
    else if (!this.#isClosed) {
      const cause = toFailure(error, 'thread_exited');
      const message = 'a spare thread did not start';
      this.#options.onLog?.({ level: 'error', message, failure: cause });
    }
  }
}

/** It holds its thread for a moment, and others may wait for it while they hold theirs: it is never kept waiting for them. */
function isBrief({ options: { target } }: SlotUser): boolean {
  return target.type === 'tools';
}
