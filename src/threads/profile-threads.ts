// Owns the threads of each profile: made at the first request for it, ended together. Decides where `auto` leads.

import type { Failure } from '../base/failures.ts';
import { isolationOf, profileKey, type WorkerProfile } from '../protocol/worker-profile.ts';
import { HeavyModules } from './heavy-modules.ts';
import { PiscinaThreads, type PiscinaThreadsOptions } from './piscina-threads.ts';
import type { PoolOptions } from './pool-options.ts';
import { ProcessThreads } from './process-threads.ts';
import type { SlotThreads } from './slot-port.ts';
import type { SlotOptions } from './worker-slot.ts';

export type ProfileThreadsOptions = Pick<PoolOptions, 'env' | 'workerUrl' | 'tsx' | 'onLog'> &
  Pick<PiscinaThreadsOptions, 'max' | 'needed'> & {
    readonly onFailedToStart: (threads: SlotThreads, error: unknown) => void;
  };

export class ProfileThreads {
  readonly #options: ProfileThreadsOptions;
  readonly #byKey = new Map<string, SlotThreads>();
  /** The same profile object is asked for again and again; its key is made once. */
  readonly #byProfile = new WeakMap<WorkerProfile, SlotThreads>();

  readonly #heavy = new HeavyModules();
  /** For modules that are heavy, by the profile that leaves it open. */
  readonly #apart = new WeakMap<WorkerProfile, WorkerProfile>();
  /** Threads of profiles that leave it open. */
  readonly #undecided = new WeakSet<Pick<SlotThreads, 'open'>>();

  constructor(options: ProfileThreadsOptions) {
    this.#options = options;
  }

  of(options: Pick<SlotOptions, 'profile' | 'moduleSet' | 'isHeavy'>): SlotThreads {
    const { profile, moduleSet, isHeavy = false } = options;
    const isApart = isHeavy || this.#heavy.hasAnyOf(moduleSet);
    if (!isApart || isolationOf(profile) !== 'auto') return this.#with(profile);
    const apart = this.#apart.get(profile) ?? { ...profile, isolation: 'process' };
    this.#apart.set(profile, apart);
    return this.#with(apart);
  }

  /** One of these threads, which had loaded these modules, is gone. */
  gone(threads: Pick<SlotThreads, 'open'>, moduleSet: string | null, failure: Failure): void {
    const isOutgrown = failure.code === 'out_of_memory' && this.#undecided.has(threads);
    if (!isOutgrown || moduleSet === null) return;
    const added = this.#heavy.add(moduleSet);
    if (added.length === 0) return;
    const message = `a thread ran out of memory: processes run its modules from now on: ${added.join(' ')}`;
    this.#options.onLog?.({ level: 'warn', message, failure });
  }

  #with(profile: WorkerProfile): SlotThreads {
    const known = this.#byProfile.get(profile);
    if (known !== undefined) return known;
    const key = profileKey(profile);
    const threads = this.#byKey.get(key) ?? this.#make(profile);
    this.#byKey.set(key, threads);
    this.#byProfile.set(profile, threads);
    return threads;
  }

  needChanged(): void {
    for (const threads of this.#byKey.values()) threads.needChanged();
  }

  async destroy(): Promise<void> {
    for (const threads of this.#byKey.values()) await threads.destroy();
  }

  #make(profile: WorkerProfile): SlotThreads {
    const { env, workerUrl, tsx = null, max, needed, onFailedToStart } = this.#options;
    if (isolationOf(profile) === 'process') {
      return new ProcessThreads(profile, { env, workerUrl, tsx, needed });
    }
    const threads: SlotThreads = new PiscinaThreads(profile, {
      ...{ env, workerUrl, tsx, max, needed },
      onFailedToStart: (error) => onFailedToStart(threads, error),
    });
    if (isolationOf(profile) === 'auto') this.#undecided.add(threads);
    return threads;
  }
}
