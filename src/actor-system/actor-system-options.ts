// Owns the options of a system of actors and of a spawn on its threads: their shape and their check.
import { z } from 'zod';
import type { Failure } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { WorkerProfile } from '../protocol/worker-profile.ts';
import type { GracePeriods } from '../supervision/termination.ts';
import type { KernelOptions, SpawnOptions } from './kernel.ts';

const optionsSchema = z.strictObject({
  threads: z
    .strictObject({
      min: z.number().int().min(0).optional(),
      max: z.number().int().min(1).optional(),
      reuse: z.enum(['warm', 'single-use']).optional(),
      idleMs: z.number().min(0).optional(),
    })
    .optional(),
  graces: z
    .strictObject({
      interruptGraceMs: z.number().min(0).optional(),
      stopGraceMs: z.number().min(0).optional(),
    })
    .optional(),
  maxTotalBytes: z.number().min(1).optional(),
  startTimeoutMs: z.number().min(1).optional(),
});

/** What went wrong without ending anything, for people. */
export type SystemLog = {
  /** `error` where something is lost or broken. */
  readonly level: 'warn' | 'error';
  /** What happened, in a sentence. */
  readonly message: string;
  /** The cause. */
  readonly failure: Failure;
};

/** The options of `createActorSystem`; each may be left out. */
export type ActorSystemOptions = Pick<KernelOptions, 'clock' | 'random' | 'onDeadLetter'> & {
  /**
   * Receives actors that crash, those that keep their thread because their state could not be kept, failed activations,
   * modules whose threads are no longer reused or are retired time after time, and threads that did not end with the
   * system. Default: a line each on standard error, with stacks when `TROUPE_DEBUG=1` is set. `false` for none.
   */
  readonly onLog?: ((entry: SystemLog) => void) | false;
  /** The system's worker threads. */
  readonly threads?: {
    /** Threads kept although idle. Default 0. */
    readonly min?: number;
    /** Maximum number of threads; further spawns wait. Default 64. */
    readonly max?: number;
    /** `warm` reuses a thread for one actor after another; `single-use` gives each a fresh one. Default `warm`. */
    readonly reuse?: 'warm' | 'single-use';
    /** Milliseconds after which an idle thread above `min` ends. Default 30,000. */
    readonly idleMs?: number;
  };
  /** Default 2 s each. */
  readonly graces?: Partial<GracePeriods>;
  /** Estimated size of the messages that wait in all mailboxes together. Default 1 GiB. */
  readonly maxTotalBytes?: number;
  /**
   * How long a spawn may take, the wait for a thread included, and how long a restart or an activation, once it has one:
   * then its thread is ended, and it fails `spawn_failed`. Default 60,000.
   */
  readonly startTimeoutMs?: number;
};

/** The options of a spawn on a thread. */
export type ThreadSpawnOptions = SpawnOptions & {
  /** Heap, environment and flags of its thread. Default: those of `WorkerProfile`. */
  readonly profile?: WorkerProfile;
  /** Messages handed to the thread ahead of their turn; 1 for one in a process of its own. Default 64. */
  readonly window?: number;
};

/** Throws `invalid_options` naming the field and the value seen. */
export function checkActorSystemOptions(options: ActorSystemOptions): void {
  const { clock: _clock, random: _random, onDeadLetter: _dead, onLog: _log, ...plain } = options;
  parseOptions(optionsSchema, plain, 'createActorSystem');
}
