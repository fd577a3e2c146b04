// Owns which module sets get used threads: two quick failures on threads that had served before end it. Kills no thread.

/** Two failures that are further apart have nothing to do with each other. */
const quicklyMs = 60_000;

export class Reuse {
  readonly #failedAt = new Map<string, number>();
  readonly #ended = new Set<string>();

  /** False once a thread that has loaded these modules serves one activation only. */
  allows(moduleSet: string | null): boolean {
    return moduleSet === null || !this.#ended.has(moduleSet);
  }

  /** An activation failed on a used thread; true when this one ends the reuse for its modules. */
  failed(moduleSet: string, now: number): boolean {
    for (const [set, at] of this.#failedAt) if (now - at > quicklyMs) this.#failedAt.delete(set);
    if (this.#ended.has(moduleSet)) return false;
    if (!this.#failedAt.has(moduleSet)) {
      this.#failedAt.set(moduleSet, now);
      return false;
    }
    this.#failedAt.delete(moduleSet);
    this.#ended.add(moduleSet);
    return true;
  }
}

/** What people are told of it. */
export function reuseEnded(moduleSet: string): string {
  return `two activations failed on used threads within ${quicklyMs / 1_000} s: threads with ${moduleSet} are not reused any more`;
}
