// Owns the run-time context of a scope: what its caller hands over, and what the scope reports back (B8).

export class ContextState {
  readonly #values = new Map<string, unknown>();

  get(key: string): unknown {
    return this.#values.get(key);
  }

  set(key: string, value: unknown): void {
    this.#values.set(key, value);
  }

  get_keys(): string[] {
    return [...this.#values.keys()];
  }
}
