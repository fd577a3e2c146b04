// Owns the threads of each profile: made at the first request for it, ended together.
import { PiscinaThreads, type PiscinaThreadsOptions } from './piscina-threads.ts';
import type { PoolOptions } from './pool-options.ts';
import { profileKey, type WorkerProfile } from './worker-profile.ts';

export type ProfileThreadsOptions = Pick<PoolOptions, 'env' | 'workerUrl' | 'tsx'> &
  Pick<PiscinaThreadsOptions, 'max' | 'needed'> & {
    readonly onFailedToStart: (threads: PiscinaThreads, error: unknown) => void;
  };

export class ProfileThreads {
  readonly #options: ProfileThreadsOptions;
  readonly #byKey = new Map<string, PiscinaThreads>();
  /** The same profile object is asked for again and again; its key is made once. */
  readonly #byProfile = new WeakMap<WorkerProfile, PiscinaThreads>();

  constructor(options: ProfileThreadsOptions) {
    this.#options = options;
  }

  of(profile: WorkerProfile): PiscinaThreads {
    const known = this.#byProfile.get(profile);
    if (known !== undefined) return known;
    const key = profileKey(profile);
    const threads = this.#byKey.get(key) ?? this.#make(profile);
    this.#byKey.set(key, threads);
    this.#byProfile.set(profile, threads);
    return threads;
  }

  async destroy(): Promise<void> {
    for (const threads of this.#byKey.values()) await threads.destroy();
  }

  #make(profile: WorkerProfile): PiscinaThreads {
    const { env, workerUrl, tsx = null, max, needed, onFailedToStart } = this.#options;
    const threads: PiscinaThreads = new PiscinaThreads(profile, {
      ...{ env, workerUrl, tsx, max, needed },
      onFailedToStart: (error) => onFailedToStart(threads, error),
    });
    return threads;
  }
}
