// Owns which modules do not belong on threads of this process: those that a thread had loaded which ran out of memory.

/** A program may write its modules as it goes: the first to be known are forgotten. */
const maxKnown = 1_000;

export class HeavyModules {
  readonly #urls = new Set<string>();

  /** Returns those of them that were not known. */
  add(moduleSet: string): readonly string[] {
    const added = urlsOf(moduleSet).filter((url) => !this.#urls.has(url));
    for (const url of added) this.#urls.add(url);
    for (const oldest of this.#urls) {
      if (this.#urls.size <= maxKnown) break;
      this.#urls.delete(oldest);
    }
    return added;
  }

  hasAnyOf(moduleSet: string): boolean {
    return this.#urls.size > 0 && urlsOf(moduleSet).some((url) => this.#urls.has(url));
  }
}

function urlsOf(moduleSet: string): readonly string[] {
  return moduleSet === '' ? [] : moduleSet.split(' ');
}
