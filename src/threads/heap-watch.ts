// Watches what the threads of one profile use, and ends one that has outgrown its limit while it grows: V8 ends the whole process
// over an array or a Map whose next step does not fit.
import type { HeapInfo } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import { canAskThreads, lookMs, usedMb } from '../protocol/heap-look.ts';
import { sharedFlags } from '../protocol/shared-flags.ts';

/** What V8 keeps for new objects counts as used, whatever of it lives. */
const youngMb = 32;
/** A Map that is full grows by twice what it takes: so much room lies above the limit that its growth is seen before it fails. */
const roomFactor = 3;
/** What code may take between two looks on a busy machine, and the next step of it. */
const roomMb = 1_024;
/** A thread that has worked less since it was looked at cannot have grown by much. */
const restingMs = 5;

/** The limit of V8 itself for the old objects of a thread that may use `heapMb`. */
export function ceilingMb(heapMb: number): number {
  const ceiling = roomFactor * (heapMb + youngMb);
  return canAskThreads ? Math.max(ceiling, roomMb) : ceiling;
}

type Watched = {
  readonly thread: AskedThread;
  readonly flags: Int32Array;
  /** Milliseconds that it had worked when it was looked at last. */
  activeMs: number;
  isAsked: boolean;
};

/** Types of Node 20 do not have it. */
type AskedThread = Worker & { getHeapStatistics?(): Promise<HeapInfo> };

export class HeapWatch {
  readonly #heapMb: number;
  readonly #watched = new Set<Watched>();
  #isArmed = false;

  constructor(heapMb: number) {
    this.#heapMb = heapMb;
  }

  /** Until it exits. One that uses too much emits an error, `out_of_memory`, as if it had thrown it. */
  add(thread: Worker, flags: Int32Array): void {
    const watched: Watched = { thread, flags, activeMs: 0, isAsked: false };
    this.#watched.add(watched);
    thread.once('exit', () => this.#watched.delete(watched));
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed || this.#watched.size === 0) return;
    this.#isArmed = true;
    systemClock.after(lookMs, () => {
      this.#isArmed = false;
      for (const watched of this.#watched) this.#look(watched);
      this.#arm();
    });
  }

  #look(watched: Watched): void {
    const { thread, flags, isAsked } = watched;
    if (!canAskThreads || thread.getHeapStatistics === undefined) {
      this.#judge(watched, Atomics.load(flags, sharedFlags.usedMb));
      return;
    }
    const activeMs = thread.performance.eventLoopUtilization().active;
    if (isAsked || activeMs - watched.activeMs < restingMs) return;
    watched.activeMs = activeMs;
    watched.isAsked = true;
    thread.getHeapStatistics().then(
      (statistics) => {
        watched.isAsked = false;
        this.#judge(watched, usedMb(statistics));
      },
      // It has exited, and is watched no more.
      () => {},
    );
  }

  #judge(watched: Watched, mb: number): void {
    if (mb <= this.#heapMb + youngMb || !this.#watched.delete(watched)) return;
    const text = `the thread took ${mb} MB for objects and Buffers, and may take ${this.#heapMb}`;
    watched.thread.emit('error', new TroupeError('out_of_memory', text));
  }
}
