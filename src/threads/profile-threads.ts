// Owns the threads of each profile: made at the first request for it, ended together.

import { isolationOf, profileKey, type WorkerProfile } from '../protocol/worker-profile.ts';
import { PiscinaThreads, type PiscinaThreadsOptions } from './piscina-threads.ts';
import type { PoolOptions } from './pool-options.ts';
import { ProcessThreads } from './process-threads.ts';
import type { SlotThreads } from './slot-port.ts';

export type ProfileThreadsOptions = Pick<PoolOptions, 'env' | 'workerUrl' | 'tsx'> &
  Pick<PiscinaThreadsOptions, 'max' | 'needed'> & {
    readonly onFailedToStart: (threads: SlotThreads, error: unknown) => void;
  };

export class ProfileThreads {
  readonly #options: ProfileThreadsOptions;
  readonly #byKey = new Map<string, SlotThreads>();
  /** The same profile object is asked for again and again; its key is made once. */
  readonly #byProfile = new WeakMap<WorkerProfile, SlotThreads>();

  constructor(options: ProfileThreadsOptions) {
    this.#options = options;
  }

  of(profile: WorkerProfile): SlotThreads {
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
    return threads;
  }
}
