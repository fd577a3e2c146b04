// Owns the run-time context of a scope: what its caller hands over, and what the scope reports back (B8).

/** Values that a scope is run with, by key: its templates read them. */
export class ContextState {
  readonly #values = new Map<string, unknown>();

  /** The value of the key; undefined when there is none. */
  get(key: string): unknown {
    return this.#values.get(key);
  }

  /** Sets or replaces a value. */
  set(key: string, value: unknown): void {
    this.#values.set(key, value);
  }

  /** All keys, in the order they were first set. */
  get_keys(): string[] {
    return [...this.#values.keys()];
  }
}
