// Owns the profiles that agents name, and which one an agent has below another.
import { describe, TroupeError } from '../../base/failures.ts';
import { insteadOf } from '../../base/nearest-name.ts';
import { clampProfile } from '../../protocol/profile-rights.ts';
import type { AgentProfile, WorkerProfile } from '../../protocol/worker-profile.ts';

export type ProfileOptions = {
  /** Of all that name none. */
  readonly base: WorkerProfile;
  readonly named: Readonly<Record<string, AgentProfile>>;
};

export class KnownProfiles {
  readonly #base: WorkerProfile;
  readonly #named: ReadonlyMap<string, WorkerProfile>;
  /** The same object for the same rights: threads are found by it. */
  readonly #clamped = new WeakMap<WorkerProfile, Map<string, WorkerProfile>>();

  constructor({ base, named }: ProfileOptions) {
    this.#base = base;
    const whole = (own: AgentProfile): WorkerProfile => ({ ...base, ...own });
    this.#named = new Map(Object.entries(named).map(([name, own]) => [name, whole(own)]));
  }

  /** `above` is that of the agent that delegates; undefined for a root. Throws `unknown_profile`. */
  of(name: string | undefined, above: WorkerProfile | undefined): WorkerProfile {
    if (name === undefined) return above ?? this.#base;
    const profile = this.#named.get(name);
    if (profile === undefined) {
      const instead = insteadOf(name, [...this.#named.keys()]);
      const text = `there is no profile ${describe(name)} among \`profiles\`; ${instead}`;
      throw new TroupeError('unknown_profile', text, { detail: { field: 'profile', seen: name } });
    }
    return above === undefined ? profile : this.#below(above, name, profile);
  }

  #below(above: WorkerProfile, name: string, profile: WorkerProfile): WorkerProfile {
    const known = this.#clamped.get(above) ?? new Map<string, WorkerProfile>();
    this.#clamped.set(above, known);
    const clamped = known.get(name) ?? clampProfile(above, profile);
    known.set(name, clamped);
    return clamped;
  }
}
