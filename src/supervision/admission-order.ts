// Owns the order in which those that wait for a place get one (V7). Pure.

/** One that waits for a place; what is asked of it does not change meanwhile but `isPaused`. */
export type Queued = {
  /** It had a place before, and what it waited for is there. */
  readonly isReady: boolean;
  readonly depth: number;
  readonly isRoot: boolean;
  /** Paused by its owner. */
  readonly isPaused: boolean;
};

/** So many descendants in a row are admitted while a root waits. */
const maxBeforeRoot = 7;

/**
 * First those that go on, then descendants of unfinished runs, deepest first, then roots; each in the order in which they came.
 * Of eight that are admitted at least one is a root, the oldest, while roots wait: no tree holds all others up.
 */
export class AdmissionOrder<Item extends Queued> {
  readonly #ready = new Levels<Item>();
  readonly #roots = new Set<Item>();
  readonly #below = new Levels<Item>();
  #sinceRoot = 0;

  get size(): number {
    return this.#ready.size + this.#roots.size + this.#below.size;
  }

  /** Roots that wait for their first place. */
  get roots(): number {
    return this.#roots.size;
  }

  has(item: Item): boolean {
    const level = levelOf(item);
    return this.#roots.has(item) || this.#below.has(level, item) || this.#ready.has(level, item);
  }

  add(item: Item): void {
    if (item.isReady) this.#ready.add(levelOf(item), item);
    else if (item.isRoot) this.#roots.add(item);
    else this.#below.add(levelOf(item), item);
  }

  delete(item: Item): void {
    const level = levelOf(item);
    this.#roots.delete(item);
    this.#below.delete(level, item);
    this.#ready.delete(level, item);
  }

  /** Those that wait for their first place. */
  *first(): Iterable<Item> {
    yield* this.#below.deepestFirst();
    yield* this.#roots;
  }

  /**
   * The next one, which waits no more; null when none may have a place. With `isPaused` no root begins, and with `isFull` none
   * before descendants.
   */
  take({
    isPaused,
    isFull,
  }: {
    readonly isPaused: boolean;
    readonly isFull: boolean;
  }): Item | null {
    const next = firstFree(this.#ready.deepestFirst()) ?? this.#takeWaiting(isPaused, isFull);
    if (next !== null) this.delete(next);
    return next;
  }

  #takeWaiting(isPaused: boolean, isFull: boolean): Item | null {
    const root = isPaused ? null : firstFree(this.#roots);
    const below = firstFree(this.#below.deepestFirst());
    const isRootDue = !isFull && root !== null && this.#sinceRoot >= maxBeforeRoot;
    const next = isRootDue ? root : (below ?? root);
    // Only what is admitted while a root waits is before it.
    this.#sinceRoot = root === null || next === root ? 0 : this.#sinceRoot + 1;
    return next;
  }
}

/** Sets by their level, each in the order of arrival. */
class Levels<Item> {
  readonly #levels: (Set<Item> | undefined)[] = [];
  size = 0;

  has(level: number, item: Item): boolean {
    return this.#levels[level]?.has(item) === true;
  }

  add(level: number, item: Item): void {
    if (this.has(level, item)) return;
    this.#levels[level] ??= new Set();
    this.#levels[level].add(item);
    this.size += 1;
  }

  delete(level: number, item: Item): void {
    if (this.#levels[level]?.delete(item) === true) this.size -= 1;
  }

  *deepestFirst(): Iterable<Item> {
    if (this.size === 0) return;
    for (let level = this.#levels.length - 1; level >= 0; level -= 1) {
      yield* this.#levels[level] ?? [];
    }
  }
}

/** A root that a loop of the program asked for is one level down, and a root all the same. */
function levelOf({ depth, isRoot }: Queued): number {
  return isRoot ? 0 : depth;
}

function firstFree<Item extends Queued>(items: Iterable<Item>): Item | null {
  for (const item of items) if (!item.isPaused) return item;
  return null;
}
