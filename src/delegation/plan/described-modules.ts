// Owns what is known of modules that threads load: described at need, and again after a failure or when long unused.

/** A program may write its modules as it goes: the least recently used are described anew. */
const mostKnown = 1_000;

export class DescribedModules<What> {
  readonly #describe: (url: string) => Promise<What>;
  readonly #known = new Map<string, What>();
  readonly #describing = new Map<string, Promise<void>>();

  constructor(describe: (url: string) => Promise<What>) {
    this.#describe = describe;
  }

  get(url: string): What | undefined {
    return this.#known.get(url);
  }

  /** Describes those that are not known yet; null when all are. Rejects with what is wrong with the first. */
  prepare(urls: readonly string[]): Promise<void> | null {
    const missing = urls.filter((url) => !this.#use(url));
    if (missing.length === 0) return null;
    return Promise.all(missing.map((url) => this.#learn(url))).then(() => {});
  }

  /** True for one that is known, which is now the last to be forgotten. */
  #use(url: string): boolean {
    const known = this.#known.get(url);
    if (known === undefined) return false;
    this.#known.delete(url);
    this.#known.set(url, known);
    return true;
  }

  #learn(url: string): Promise<void> {
    const running = this.#describing.get(url);
    if (running !== undefined) return running;
    const describing = this.#describe(url).then((what) => {
      this.#known.set(url, what);
      const [oldest] = this.#known.keys();
      if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    });
    this.#describing.set(url, describing);
    // A module that failed is tried again by the next task: its author may have repaired it.
    return describing.finally(() => this.#describing.delete(url));
  }
}
