// Owns when requests that busy threads could serve get further threads: none has become free for a while, or those there are
// hardly work (W7).
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type CancelTimer, systemClock } from '../base/clock.ts';
import { LoopUse } from './loop-use.ts';

/** Milliseconds without a free thread, measured on the machine's clock, whatever clock the supervisor has. */
const patienceMs = 50;
/** More requests for each thread than this are more than they will do in a while: a free core helps. */
const maxBehind = 4;
/** Threads that start at a time: each takes some 40 ms of a core. */
export const maxOpening = 4;
/** A loop that worked less than this part of its time waited for something else than a core. */
const hardlyWorks = 0.2;

export type PoolLook = {
  /** Requests without a thread. */
  readonly waiting: number;
  /** Threads there are. */
  readonly threads: number;
  /** Threads on their way. */
  readonly opening: number;
  /** Maximum number of threads. */
  readonly max: number;
  readonly sinceFreeMs: number;
  readonly cores: number;
  /** How much of the last moment the host's loop worked, and the threads' on average: from 0 to 1. */
  readonly hostUse: number;
  readonly threadUse: number;
};

/** How many threads to open now. One on its way is about to be free. */
export function threadsToOpen(look: PoolLook): number {
  const { waiting, threads, opening, max } = look;
  const room = Math.min(waiting, max - threads);
  if (room <= 0 || opening > 0) return 0;
  // Calls in their threads wait for something outside, and the host does not hold them up.
  if (look.hostUse < hardlyWorks && look.threadUse < hardlyWorks) {
    return Math.min(room, look.cores, maxOpening);
  }
  const isBehind = threads < look.cores && waiting > maxBehind * threads;
  return look.sinceFreeMs >= patienceMs || isBehind ? 1 : 0;
}

export type PoolGrowthOptions = {
  /** Requests that wait, and threads. */
  readonly look: () => Pick<PoolLook, 'waiting' | 'threads' | 'opening' | 'max'>;
  /** The loops of threads that serve. */
  readonly loops: () => readonly LoopUse[];
  /** Opens so many. */
  readonly grow: (count: number) => void;
};

export class PoolGrowth {
  readonly #options: PoolGrowthOptions;
  readonly #host = new LoopUse(performance.eventLoopUtilization);
  #freeAt = 0;
  #cancel: CancelTimer | null = null;
  #onLook: (() => void)[] = [];

  constructor(options: PoolGrowthOptions) {
    this.#options = options;
  }

  /** A thread has become free. */
  threadFree(): void {
    this.#freeAt = systemClock.now();
  }

  /** A request waits: looks whether to grow until none does. */
  watch(): void {
    if (this.#cancel !== null) return;
    this.#use();
    this.#wait();
  }

  /** Resolves when it has looked once more; at once when nothing waits. */
  async looked(): Promise<void> {
    if (this.#cancel === null) return;
    await new Promise<void>((resolve) => this.#onLook.push(resolve));
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    for (const resolve of this.#onLook.splice(0)) resolve();
  }

  #wait(): void {
    this.#cancel = systemClock.after(patienceMs, () => this.#look());
  }

  #look(): void {
    this.#cancel = null;
    const { look, grow } = this.#options;
    const count = threadsToOpen({
      ...look(),
      ...this.#use(),
      sinceFreeMs: systemClock.now() - this.#freeAt,
      cores: availableParallelism(),
    });
    if (count > 0) grow(count);
    const { waiting, threads, max } = look();
    if (waiting > 0 && threads < max) this.#wait();
    for (const resolve of this.#onLook.splice(0)) resolve();
  }

  /** Since it was called last. */
  #use(): Pick<PoolLook, 'hostUse' | 'threadUse'> {
    const loops = this.#options.loops();
    const used = loops.reduce((sum, loop) => sum + loop.sinceLast(), 0);
    return { hostUse: this.#host.sinceLast(), threadUse: used / loops.length };
  }
}
