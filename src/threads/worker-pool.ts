// Owns the slots: how many, which to reuse, which requests wait. Leaves out how threads are made (piscina-threads.ts).
import { systemClock } from '../base/clock.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { resolvedWithin } from '../base/resolved-within.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';
import { acknowledgement } from './acknowledgements.ts';
import { maxOpening, PoolGrowth } from './pool-growth.ts';
import type { PoolOptions, PoolSaturation } from './pool-options.ts';
import { ProfileThreads } from './profile-threads.ts';
import type { SlotThreads } from './slot-port.ts';
import { leftBehind, Reuse, reuseEnded } from './slot-reuse.ts';
import { SlotSet } from './slot-set.ts';
import { ThreadNeed } from './thread-need.ts';
import { isBrief, ThreadQueue } from './thread-queue.ts';
import { type SlotUser, WorkerSlot } from './worker-slot.ts';

/** Threads beyond `max` that are held by calls which wait for what they delegated (W7). */
const maxExtra = 64;
const defaultIdleMs = 30_000;
const closeBoundMs = 10_000;
/** What a thread takes to end that is in no native call, on a busy machine. */
const endingMs = 2_000;

/**
 * Gives slots to activations in the order of `ThreadQueue`; never more than `max` threads, one for brief requests, and as
 * many as are held by calls that wait for what they have delegated.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #slots = new SlotSet();
  readonly #queue = new ThreadQueue();
  readonly #growth: PoolGrowth;
  readonly #threads: ProfileThreads;
  readonly #reuse = new Reuse();
  readonly #need: ThreadNeed;
  /** Threads beyond `max`, in the place of those that are held and do nothing. */
  #extra = 0;
  #lastActivation = 0;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#growth = new PoolGrowth({
      look: () => ({
        waiting: this.#queue.size,
        threads: this.size,
        opening: this.#slots.opening,
        max: this.#max,
      }),
      loops: () => this.#slots.loops(),
      grow: (count) => this.#grow(count),
    });
    this.#need = new ThreadNeed(options, () => this.#threads.needChanged());
    this.#threads = new ProfileThreads({
      ...options,
      max: options.max + maxExtra + 1,
      needed: this.#need.shared,
      onFailedToStart: (threads, error) => this.#failedToStart(threads, error),
    });
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
    this.#queue.add(user);
    this.#serve();
  }

  /** Ids of the actors whose activations have threads. */
  holders(): readonly string[] {
    return this.#slots.holders();
  }

  /** So many threads are held by calls that wait for what they delegated: as many more may be opened, up to 64. */
  allowBeyondMax(stuck: number): void {
    const extra = Math.min(stuck, maxExtra);
    if (extra === this.#extra) return;
    this.#extra = extra;
    this.#openForWaiting();
  }

  /** The actor has ended: threads need not keep its conversation. */
  forget(actor: string): void {
    for (const { kept } of this.#slots) kept.conversations.drop(actor);
  }

  /** The activation waits no longer. */
  cancel(user: SlotUser): void {
    if (this.#queue.remove(user)) this.#reportNeed();
  }

  /** Which actors use the threads and which wait; null while a thread is free, opening or ending. */
  saturation(): PoolSaturation | null {
    if (this.#queue.size === 0 || this.size < this.#max) return null;
    const users: { actor: string; slot: WorkerSlot }[] = [];
    for (const slot of this.#slots) {
      if (slot.status !== 'busy' || slot.user === null) return null;
      users.push({ actor: slot.user.actor, slot });
    }
    return { users, queued: this.#queue.users().map(({ actor }) => actor) };
  }

  /** Fails the request of an actor that waits. */
  refuse(actor: string, cause: Failure): void {
    const user = this.#queue.of(actor);
    if (user === undefined) return;
    this.#queue.remove(user);
    user.refused(cause);
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
    this.#options.onLog?.({ level: 'warn', message: reuseEnded(moduleSet), failure: cause });
    for (const other of [...this.#slots]) {
      if (other.isFree && other.moduleSet === moduleSet) other.kill();
    }
  }

  /** An activation has ended on `slot`; a dirty, spent or single-use one is retired (decision 1). */
  release(slot: WorkerSlot, leaks: readonly string[]): void {
    slot.clear();
    if (!slot.isFree) return;
    this.#growth.threadFree();
    const { reuse, onLog } = this.#options;
    const { moduleSet } = slot;
    const isSingleUse = reuse === 'single-use' || !this.#reuse.allows(moduleSet);
    if (moduleSet !== null && !isSingleUse && this.#reuse.leftBehind(moduleSet, leaks.length > 0)) {
      onLog?.({ level: 'warn', ...leftBehind(moduleSet, leaks) });
    }
    const isSurplus = this.#slots.staying > this.#max;
    if (leaks.length > 0 || slot.isSpent || isSingleUse || isSurplus || this.#isClosed) {
      slot.kill();
      if (isSingleUse && this.size < this.#max && !this.#isClosed) this.#open(slot.threads);
      return;
    }
    this.#serve();
    if (slot.isFree) this.#watchIdle(slot);
  }

  /** Opens threads ahead of need; resolves when that many are there. Never rejects: a failed one is reported lost. */
  async prewarm(count: number, profile: WorkerProfile = {}): Promise<void> {
    const threads = this.#threads.of({ profile, moduleSet: '' });
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
    await this.#growth.looked();
  }

  /**
   * Ends every thread; resolves after the last exit, or 10 s later when one hangs in native code, with why that is (V6).
   * Such a thread keeps the process from its end until its call returns.
   */
  async close(): Promise<Failure | null> {
    this.#isClosed = true;
    this.#growth.stop();
    for (const user of this.#queue.clear()) {
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
    await this.#threads.destroy();
  }

  #serve(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const { user, slot } = next;
      this.#queue.remove(user);
      slot.cancelIdle();
      slot.use(user);
    }
    this.#openForWaiting();
    if (this.#queue.size > 0) this.#options.onSaturated?.();
  }

  /** The first request that a free slot can serve. */
  #next(): { readonly user: SlotUser; readonly slot: WorkerSlot } | null {
    if (this.#queue.size === 0 || this.#slots.idle === null) return null;
    for (const user of this.#queue.heads()) {
      const slot = this.#slots.freeFor(user, this.#threads.of(user.options));
      if (slot !== null) return { user, slot };
    }
    return null;
  }

  #openForWaiting(): void {
    if (this.#queue.size > 0) this.#openAtOnce();
    if (this.#patient !== undefined) this.#growth.watch();
    this.#reportNeed();
  }

  get #max(): number {
    return this.#options.max + this.#extra;
  }

  /** For requests that no thread there is could serve, and those whose threads are never given up before they end. */
  #openAtOnce(): void {
    let opening = this.#slots.opening;
    let wanted = this.#queue.size - opening;
    let leaving = this.size - this.#slots.staying;
    for (const user of this.#queue.heads()) {
      if (wanted <= 0 || opening >= maxOpening) return;
      if (this.#isPatient(user)) continue;
      wanted -= 1;
      const max = this.#max + (isBrief(user) ? 1 : 0);
      if (this.size < max) {
        this.#open(this.#threads.of(user.options));
        opening += 1;
      }
      // The exit of one that makes way already opens the next.
      else if (leaving > 0) leaving -= 1;
      // An idle slot of other modules makes way.
      else if (this.#slots.idle === null) return;
      else this.#slots.idle.kill();
    }
  }

  /** An agent that a busy thread can serve: agents leave their threads when they wait. */
  #isPatient(user: SlotUser): boolean {
    const { options } = user;
    return options.target.type === 'agent' && this.#slots.canServe(user, this.#threads.of(options));
  }

  get #patient(): SlotUser | undefined {
    for (const user of this.#queue.heads()) if (this.#isPatient(user)) return user;
    return undefined;
  }

  /** So many more for the first request that waits until one becomes free. */
  #grow(count: number): void {
    const user = this.#patient;
    // Those that it waited for may have come to serve no one.
    if (user === undefined) this.#openAtOnce();
    else for (let at = 0; at < count; at += 1) this.#open(this.#threads.of(user.options));
    this.#reportNeed();
  }

  /** Says how many requests wait that no thread is on its way for, to the threads and to the supervisor. */
  #reportNeed(): void {
    const missing = Math.max(0, this.#queue.size - this.#slots.opening);
    this.#need.report(missing, this.size < this.#max || this.#extra < maxExtra);
  }

  #open(threads: WorkerSlot['threads']): WorkerSlot {
    const slot = new WorkerSlot(threads, {
      online: () => {
        this.#growth.threadFree();
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
    this.#threads.gone(slot.threads, slot.moduleSet, cause);
    slot.cancelIdle();
    this.#options.onThread?.('lost', wasEnded ? undefined : cause);
    if (this.size === 0) this.#onEmpty?.();
    if (this.#isClosed) return;
    if (cause.code === 'spawn_failed') {
      // The thread failed to start: requests for its profile fail, since another attempt would fail in the same way.
      for (const { actor, options } of this.#queue.users()) {
        if (this.#threads.of(options) === slot.threads) this.refuse(actor, cause);
      }
    }
    this.#openForWaiting();
  }

  #watchIdle(slot: WorkerSlot): void {
    const { clock, idleMs = defaultIdleMs, min = 0 } = this.#options;
    slot.cancelIdle();
    slot.cancelIdle = clock.after(idleMs, () => {
      // Piscina would reuse it, with what its activations have loaded: a thread that is given up ends.
      if (slot.isFree && this.#slots.staying > min) slot.kill();
    });
  }

  /** As many wait for a thread as were to come: the last in the queue is the one that gets none. */
  #failedToStart(threads: SlotThreads, error: unknown): void {
    const slot = [...this.#slots].findLast((each) => each.threads === threads && each.isOpening);
    if (slot !== undefined) slot.giveUp(error);
    // Closing ends threads that are still on their way.
    else if (!this.#isClosed) {
      const cause = toFailure(error, 'thread_exited');
      const message = 'a spare thread did not start';
      this.#options.onLog?.({ level: 'error', message, failure: cause });
    }
  }
}
