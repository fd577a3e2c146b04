// Owns a set that most often is empty, and takes no room then.

/** In the order of adding. */
export class LazySet<Item> implements Iterable<Item> {
  #items: Set<Item> | null = null;

  get size(): number {
    return this.#items?.size ?? 0;
  }

  add(item: Item): void {
    this.#items ??= new Set();
    this.#items.add(item);
  }

  delete(item: Item): void {
    this.#items?.delete(item);
    if (this.#items?.size === 0) this.#items = null;
  }

  [Symbol.iterator](): Iterator<Item> {
    return (this.#items ?? noItems).values() as Iterator<Item>;
  }
}

const noItems: ReadonlySet<unknown> = new Set();
