// Owns what is known of modules that threads load: described once each, at need, and again after a failure.

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
    const missing = urls.filter((url) => !this.#known.has(url));
    if (missing.length === 0) return null;
    return Promise.all(missing.map((url) => this.#learn(url))).then(() => {});
  }

  #learn(url: string): Promise<void> {
    const running = this.#describing.get(url);
    if (running !== undefined) return running;
    const describing = this.#describe(url).then((what) => {
      this.#known.set(url, what);
    });
    this.#describing.set(url, describing);
    // A module that failed is tried again by the next task: its author may have repaired it.
    return describing.finally(() => this.#describing.delete(url));
  }
}
