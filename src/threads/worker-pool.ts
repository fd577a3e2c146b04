// Owns the slots: how many, which to reuse, which requests wait. Leaves out how threads are made (piscina-threads.ts).
import { type CancelTimer, type Clock, systemClock } from '../base/clock.ts';
import { type Failure, failure } from '../base/failures.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { PiscinaThreads } from './piscina-threads.ts';
import { Reuse } from './slot-reuse.ts';
import { defaultNiceness, profileKey, type WorkerProfile } from './worker-profile.ts';
import { WorkerSlot } from './worker-slot.ts';

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
  /** A thread that no slot waits for died before it could take a job. */
  readonly onStrayError?: (error: unknown) => void;
  /** Two activations failed quickly on used threads with these modules: each gets a fresh thread from now on. */
  readonly onReuseEnded?: (moduleSet: string, cause: Failure) => void;
  /** Activations with these modules leave something behind in a row, which retires their threads; called once. */
  readonly onLeftBehind?: (moduleSet: string, leaks: readonly string[]) => void;
  /** A request has to wait until an activation gives up a thread. */
  readonly onSaturated?: () => void;
  /** A thread is there, or is gone; with a cause when the pool had not ended it. */
  readonly onThread?: (event: 'spawned' | 'lost', slot: WorkerSlot, cause?: Failure) => void;
};

/** An activation's request for a slot. */
export type SlotRequest = {
  /** Id of the actor whose activation it is. */
  readonly actor: string;
  readonly profile: WorkerProfile;
  /** Names the user modules the activation loads; empty for none. Slots are shared only within one set. */
  readonly moduleSet: string;
  /** It holds its thread for a moment, and others may wait for it while they hold theirs: it is never kept waiting for them. */
  readonly isBrief?: boolean;
  readonly ready: (slot: WorkerSlot) => void;
  readonly failed: (cause: Failure) => void;
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

/** The slots of one profile, oldest first, and where their threads come from. */
type ProfilePool = {
  readonly profile: WorkerProfile;
  readonly threads: PiscinaThreads;
  readonly slots: Set<WorkerSlot>;
};

/** Gives slots to activations, first come first served but for brief ones; never more than `max` threads, and one for those. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #profilePools = new Map<string, ProfilePool>();
  readonly #profilePoolByProfile = new WeakMap<WorkerProfile, ProfilePool>();
  readonly #profilePoolOf = new Map<WorkerSlot, ProfilePool>();
  readonly #actorOn = new Map<WorkerSlot, string>();
  readonly #waiting: SlotRequest[] = [];
  /** For clocks that do not advance by themselves. */
  readonly acknowledgements = new Acknowledgements(() => this.#profilePoolOf.keys());
  readonly #reuse = new Reuse();
  readonly #idleTimers = new Map<WorkerSlot, CancelTimer>();
  #opening = 0;
  #lastSlotId = 0;
  #lastActivation = 0;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Threads that exist or are on the way or on their way out. */
  get size(): number {
    return this.#profilePoolOf.size;
  }

  /** A number that no other activation of this pool has now; it fits into a shared 32-bit flag. */
  nextActivation(): number {
    this.#lastActivation = this.#lastActivation >= 0x7fff_ffff ? 1 : this.#lastActivation + 1;
    return this.#lastActivation;
  }

  /** Requests a slot; the returned function cancels the request. */
  acquire(request: SlotRequest): () => void {
    if (this.#isClosed) {
      request.failed(failure('closed', 'the thread pool is closed'));
      return () => {};
    }
    const at = request.isBrief === true ? this.#waiting.findIndex((each) => !each.isBrief) : -1;
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, request);
    this.#serve();
    return () => {
      const at = this.#waiting.indexOf(request);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  /** Which actors use the threads and which wait; null while a thread is free, opening or ending. */
  saturation(): PoolSaturation | null {
    if (this.#waiting.length === 0 || this.size < this.#options.max) return null;
    if (this.#actorOn.size < this.size) return null;
    const users = [...this.#actorOn].map(([slot, actor]) => ({ actor, slot }));
    if (!users.every(({ slot }) => slot.state.status === 'busy')) return null;
    return { users, queued: this.#waiting.map(({ actor }) => actor) };
  }

  /** Fails the request of an actor that waits. */
  refuse(actor: string, cause: Failure): void {
    const at = this.#waiting.findIndex((request) => request.actor === actor);
    const [request] = at < 0 ? [] : this.#waiting.splice(at, 1);
    request?.failed(cause);
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
    this.#options.onReuseEnded?.(moduleSet, cause);
    for (const other of [...this.#profilePoolOf.keys()]) {
      if (other.isFree && other.moduleSet === moduleSet) this.#retire(other);
    }
  }

  /** An activation has ended on `slot`; a dirty, spent or single-use one is retired (decision 1). */
  release(slot: WorkerSlot, leaks: readonly string[]): void {
    slot.clear();
    this.#actorOn.delete(slot);
    if (!slot.isFree) return;
    const { moduleSet } = slot;
    const isSingleUse = this.#options.reuse === 'single-use' || !this.#reuse.allows(moduleSet);
    if (moduleSet !== null && !isSingleUse && this.#reuse.leftBehind(moduleSet, leaks.length > 0)) {
      this.#options.onLeftBehind?.(moduleSet, leaks);
    }
    const isSurplus = this.size > this.#options.max && this.#staying > this.#options.max;
    if (leaks.length > 0 || slot.isSpent || isSingleUse || isSurplus || this.#isClosed) {
      this.#retire(slot);
      if (isSingleUse) this.#replace(slot);
      return;
    }
    this.#serve();
    if (slot.isFree) this.#watchIdle(slot);
  }

  /** Opens threads ahead of need; resolves when that many are there. Never rejects: a failed one is reported lost. */
  async prewarm(count: number, profile: WorkerProfile = {}): Promise<void> {
    const profilePool = this.#profilePool(profile);
    const opened: Promise<void>[] = [];
    for (let missing = count - profilePool.slots.size; missing > 0; missing -= 1) {
      if (this.#isClosed || this.size >= this.#options.max) break;
      opened.push(new Promise((resolve) => this.#open(profilePool, resolve)));
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
    const slots = [...this.#profilePoolOf.keys()];
    // A thread that ends takes with it what its tools printed and the host has not read yet.
    const printing = slots.filter((slot) => slot.isFree && slot.moduleSet !== null);
    for (const slot of slots) if (!printing.includes(slot)) slot.kill();
    await Promise.all(printing.map((slot) => this.acknowledgements.of(slot)));
    for (const slot of printing) slot.kill();
    const { clock } = this.#options;
    const ended = this.#ended();
    await firstOf(ended, clock, closeBoundMs);
    // A manual clock knows nothing of how long a thread takes to end.
    if (clock !== systemClock) await firstOf(ended, systemClock, endingMs);
    if (this.size === 0) return null;
    const why =
      'in a synchronous native call, such as execSync; the process cannot exit before it returns';
    return failure('unresponsive', `${this.size} of the threads did not end: ${why}`);
  }

  async #ended(): Promise<void> {
    if (this.#profilePoolOf.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    for (const { threads } of this.#profilePools.values()) await threads.destroy();
  }

  #serve(): void {
    for (let at = 0; at < this.#waiting.length; ) {
      const request = this.#waiting[at];
      if (request === undefined) return;
      const slot = this.#freeSlot(request);
      if (slot === null) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.#idleTimers.get(slot)?.();
      this.#idleTimers.delete(slot);
      if (request.moduleSet !== '') {
        slot.hasServed = slot.moduleSet !== null;
        slot.moduleSet = request.moduleSet;
      }
      this.#actorOn.set(slot, request.actor);
      request.ready(slot);
    }
    this.#openForWaiting();
    if (this.#waiting.length > 0) this.#options.onSaturated?.();
  }

  /** The free slot that serves the request best: same modules first, then one that has loaded none. */
  #freeSlot({ profile, moduleSet }: SlotRequest): WorkerSlot | null {
    const profilePool = this.#profilePool(profile);
    let pristine: WorkerSlot | null = null;
    for (const slot of profilePool.slots) {
      if (!slot.isFree) continue;
      if (slot.moduleSet === moduleSet || (moduleSet === '' && slot.moduleSet === null)) {
        return slot;
      }
      if (slot.moduleSet === null) pristine = slot;
    }
    return pristine;
  }

  #openForWaiting(): void {
    let wanted = this.#waiting.length - this.#opening;
    let leaving = this.size - this.#staying;
    for (const request of this.#waiting) {
      if (wanted <= 0 || this.#opening >= maxOpening) return;
      wanted -= 1;
      const surplus = request.isBrief === true ? 1 : 0;
      if (this.size < this.#options.max + surplus) this.#open(this.#profilePool(request.profile));
      // The exit of one that makes way already opens the next.
      else if (leaving > 0) leaving -= 1;
      else if (!this.#giveUpIdle()) return;
    }
  }

  /** An idle slot of other modules makes way; its thread's exit opens the next one. */
  #giveUpIdle(): boolean {
    for (const slot of this.#profilePoolOf.keys()) {
      if (!slot.isFree) continue;
      this.#retire(slot);
      return true;
    }
    return false;
  }

  #retire(slot: WorkerSlot): void {
    this.#idleTimers.get(slot)?.();
    this.#idleTimers.delete(slot);
    slot.kill();
  }

  #replace(slot: WorkerSlot): void {
    const profilePool = this.#profilePoolOf.get(slot);
    if (profilePool !== undefined && this.size < this.#options.max && !this.#isClosed)
      this.#open(profilePool);
  }

  #open(profilePool: ProfilePool, onOpeningEnded?: () => void): void {
    this.#opening += 1;
    this.#lastSlotId += 1;
    let isOpening = true;
    const endOpening = (): void => {
      if (!isOpening) return;
      isOpening = false;
      this.#opening -= 1;
      onOpeningEnded?.();
    };
    const slot = new WorkerSlot(this.#lastSlotId, profilePool.threads, {
      niceness: profilePool.profile.niceness ?? defaultNiceness,
      tsx: this.#options.tsx ?? null,
      events: {
        online: (opened) => {
          endOpening();
          this.#options.onThread?.('spawned', opened);
          this.#serve();
          if (opened.isFree) this.#watchIdle(opened);
        },
        gone: (lost, cause) => {
          endOpening();
          this.#gone(lost, cause);
        },
      },
    });
    profilePool.slots.add(slot);
    this.#profilePoolOf.set(slot, profilePool);
  }

  #gone(slot: WorkerSlot, cause: Failure): void {
    const profilePool = this.#profilePoolOf.get(slot);
    profilePool?.slots.delete(slot);
    this.#profilePoolOf.delete(slot);
    this.#actorOn.delete(slot);
    this.#idleTimers.get(slot)?.();
    this.#idleTimers.delete(slot);
    this.#options.onThread?.('lost', slot, slot.wasEnded ? undefined : cause);
    if (this.#profilePoolOf.size === 0) this.#onEmpty?.();
    if (this.#isClosed) return;
    if (cause.code === 'spawn_failed') {
      // The thread failed to start: requests for its profile fail, since another attempt would fail in the same way.
      for (const { actor, profile } of [...this.#waiting]) {
        if (this.#profilePool(profile) === profilePool) this.refuse(actor, cause);
      }
    }
    this.#openForWaiting();
  }

  /** Threads that are not on their way out. */
  get #staying(): number {
    return [...this.#profilePoolOf.keys()].filter(({ state }) => state.status !== 'dying').length;
  }

  #watchIdle(slot: WorkerSlot): void {
    const { clock, idleMs = defaultIdleMs, min = 0 } = this.#options;
    this.#idleTimers.get(slot)?.();
    const cancel = clock.after(idleMs, () => {
      this.#idleTimers.delete(slot);
      // Piscina would reuse it, with what its activations have loaded: a thread that is given up ends.
      if (slot.isFree && this.#staying > min) slot.kill();
    });
    this.#idleTimers.set(slot, cancel);
  }

  #profilePool(profile: WorkerProfile): ProfilePool {
    // The same object is asked for again and again; its key is made once.
    const seen = this.#profilePoolByProfile.get(profile);
    if (seen !== undefined) return seen;
    const key = profileKey(profile);
    const known = this.#profilePools.get(key);
    if (known !== undefined) {
      this.#profilePoolByProfile.set(profile, known);
      return known;
    }
    const { max, env, workerUrl, onStrayError = () => {} } = this.#options;
    const slots = new Set<WorkerSlot>();
    const threads = new PiscinaThreads(profile, {
      max: max + 1,
      env,
      workerUrl,
      onFailedToStart: (error) => {
        // As many wait for a thread as were to come: the last in the queue is the one that gets none.
        const slot = [...slots].findLast(({ isOpening }) => isOpening);
        if (slot === undefined) onStrayError(error);
        else slot.giveUp(error);
      },
    });
    const profilePool: ProfilePool = { profile, threads, slots };
    this.#profilePools.set(key, profilePool);
    return profilePool;
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
