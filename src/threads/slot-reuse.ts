// Owns which module sets get used threads: two quick failures on threads that had served before end it; and whose
// activations leave something behind, one after another, at the price of a thread each. Kills no thread.
import { failure } from '../base/failures.ts';

/** Two failures that are further apart have nothing to do with each other. */
const quicklyMs = 60_000;

/** In a row, it is no accident. */
const tellAfter = 3;
const maxCounted = 1_000;

export class Reuse {
  readonly #failedAt = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #leftBehind = new Map<string, number>();

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

  /** An activation is over; true when it is the third in a row that left something behind, the first time. */
  leftBehind(moduleSet: string, isLeaking: boolean): boolean {
    const before = this.#leftBehind.get(moduleSet) ?? 0;
    if (before >= tellAfter) return false;
    this.#leftBehind.delete(moduleSet);
    if (!isLeaking) return false;
    this.#leftBehind.set(moduleSet, before + 1);
    const [oldest] = this.#leftBehind.keys();
    if (this.#leftBehind.size > maxCounted && oldest !== undefined) {
      this.#leftBehind.delete(oldest);
    }
    return before + 1 === tellAfter;
  }
}

/** The log message when reuse ends for a module set. */
export function reuseEnded(moduleSet: string): string {
  return `two activations failed on used threads within ${quicklyMs / 1_000} s: threads with ${moduleSet} are not reused any more`;
}

/** The log message and failure for activations that leave something behind. */
export function leftBehind(moduleSet: string, leaks: readonly string[]) {
  const what = [...new Set(leaks)].join(', ').slice(0, 200);
  return {
    message: `${tellAfter} activations in a row left something behind, each at the cost of its thread: ${moduleSet}`,
    failure: failure('thread_exited', `left behind: ${what}`),
  };
}
