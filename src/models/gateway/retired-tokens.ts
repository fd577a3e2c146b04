// Owns the memory of tokens whose activations have ended: the newest ten thousand or so, at a constant cost.

const generationSize = 5_000;

/** Two generations: when the young one is full it becomes the old one, and what was old is forgotten. */
export class RetiredTokens {
  #young = new Set<string>();
  #old: ReadonlySet<string> = new Set();

  add(token: string): void {
    this.#young.add(token);
    if (this.#young.size < generationSize) return;
    this.#old = this.#young;
    this.#young = new Set();
  }

  has(token: string): boolean {
    return this.#young.has(token) || this.#old.has(token);
  }
}
