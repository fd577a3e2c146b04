// Owns the check that a life left what the language and Node bring as it found it: a function or a namespace that is replaced,
// or an addition to what all inherit, breaks the thread for all that come after it.

type Holder = Readonly<Record<string | symbol, unknown>>;

type Saved = {
  readonly holder: Holder;
  readonly key: string | symbol;
  readonly name: string;
  readonly value: unknown;
};

/** Something that much inherits from, and how many properties it has. */
type Inherited = { readonly holder: object; readonly name: string; readonly properties: number };

/**
 * How many lives it takes until all is compared once. A thread compares at the end of every life, where it costs a third
 * of what a short life does: what nearly all code uses is compared each time, of everything else a part.
 */
const livesForAll = 8;

// Taken before any other code runs here: what is looked for may be broken in any of these.
const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const namespaces = ['JSON', 'Math', 'Reflect', 'Atomics', 'Intl', 'console', 'process', 'Buffer'];
/** One more property of these breaks loops and JSON in the whole thread. */
const ancestors = [
  { holder: Object.prototype, name: 'Object.prototype' },
  { holder: Array.prototype, name: 'Array.prototype' },
  { holder: String.prototype, name: 'String.prototype' },
  { holder: Function.prototype, name: 'Function.prototype' },
];
/** Of the objects below: what nearly all code uses, this runtime too. */
const common = new Set(['JSON', 'Object', 'Function', 'Array', 'Promise', 'Map', 'Set']);
const iterables = [[], '', new Map(), new Set()];

const named = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'BigInt', 'Symbol', 'Promise', 'RegExp'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Date', 'Iterator'],
  ...['Error', 'TypeError', 'RangeError', 'AggregateError', 'ArrayBuffer', 'SharedArrayBuffer'],
  ...['DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'BigInt64Array', 'URL', 'Event'],
  ...['AbortController', 'AbortSignal', 'EventTarget', 'MessagePort', 'TextEncoder', 'TextDecoder'],
];

/** What there is when it is made: after the modules have loaded, which may well have added to it. */
export class Builtins {
  readonly #common: Saved[] = [];
  readonly #rest: Saved[] = [];
  readonly #inherited: readonly Inherited[];
  /** How much of the rest is compared at a time, and where the next comparison begins. */
  readonly #part: number;
  #next = 0;

  constructor() {
    const seen = new Set<Holder>();
    const save = (holder: Holder, path: string, list: Saved[]): void => {
      if (seen.has(holder)) return;
      seen.add(holder);
      for (const key of ownKeys(holder)) {
        const isMethod = typeof getOwnPropertyDescriptor(holder, key)?.value === 'function';
        if (isMethod) list.push(saved(holder, key, `${path}.${String(key)}`));
      }
    };
    const globals: Holder = globalThis;
    save(globals, 'globalThis', this.#common);
    const listOf = (name: string): Saved[] => (common.has(name) ? this.#common : this.#rest);
    for (const name of namespaces) {
      const holder = globals[name];
      if (!isHolder(holder)) continue;
      this.#common.push(saved(globals, name, name));
      save(holder, name, listOf(name));
    }
    for (const name of named) {
      const holder = globals[name];
      if (!isHolder(holder)) continue;
      save(holder, name, listOf(name));
      const { prototype } = holder;
      if (isHolder(prototype)) save(prototype, `${name}.prototype`, listOf(name));
    }
    for (const each of iterables) {
      const iterator: unknown = getPrototypeOf(each[Symbol.iterator]());
      if (isHolder(iterator)) save(iterator, 'an iterator', this.#common);
    }
    // Inherited, as a rule: one of its own would take its place.
    for (const [holder, key] of [
      [Error, Symbol.hasInstance] as const,
      [performance, 'now'] as const,
    ]) {
      if (isHolder(holder)) this.#common.push(saved(holder, key, String(key)));
    }
    this.#part = Math.ceil(this.#rest.length / livesForAll);
    this.#inherited = ancestors.map((each) => ({
      ...each,
      properties: ownKeys(each.holder).length,
    }));
  }

  /** The name of something that is no longer what it was; null when nothing was found. Uses none of it. */
  changed(): string | null {
    const part = this.#part;
    const from = this.#next;
    this.#next = from + part < this.#rest.length ? from + part : 0;
    return (
      replaced(this.#common, 0, this.#common.length) ??
      replaced(this.#rest, from, from + part) ??
      extended(this.#inherited)
    );
  }
}

function saved(holder: Holder, key: string | symbol, name: string): Saved {
  return { holder, key, name, value: holder[key] };
}

function replaced(all: readonly Saved[], from: number, to: number): string | null {
  for (let at = from; at < to; at += 1) {
    const each = all[at];
    if (each !== undefined && each.holder[each.key] !== each.value) return each.name;
  }
  return null;
}

function extended(all: readonly Inherited[]): string | null {
  for (let at = 0; at < all.length; at += 1) {
    const each = all[at];
    if (each !== undefined && ownKeys(each.holder).length !== each.properties) return each.name;
  }
  return null;
}

function isHolder(value: unknown): value is Holder {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
