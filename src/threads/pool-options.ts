// Owns what a thread pool is made with, and what it reports. Types only.
import type { Clock } from '../base/clock.ts';
import type { Failure } from '../base/failures.ts';
import type { WorkerSlot } from './worker-slot.ts';

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
  /** So many requests wait for a thread that is not on its way: activations that only wait should leave theirs (W1). */
  readonly onNeeded?: (need: {
    readonly missing: number;
    readonly canGrow: boolean;
    readonly isAlwaysNeeded: boolean;
  }) => void;
  /** Activations leave their threads whenever they may, needed or not. */
  readonly isAlwaysNeeded?: boolean;
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
