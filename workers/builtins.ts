// Owns the check that an activation left what the language and Node bring as it found it: a function or a namespace that is replaced,
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

/** What could be replaced, as it was; and what could be added to. */
export type Builtins = {
  readonly saved: readonly Saved[];
  readonly inherited: readonly Inherited[];
};

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
const iterables = [[], '', new Map(), new Set()];

const named = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'BigInt', 'Symbol', 'Promise', 'RegExp'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Date', 'Iterator'],
  ...['Error', 'TypeError', 'RangeError', 'AggregateError', 'ArrayBuffer', 'SharedArrayBuffer'],
  ...['DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'BigInt64Array', 'URL', 'Event'],
  ...['AbortController', 'AbortSignal', 'EventTarget', 'MessagePort', 'TextEncoder', 'TextDecoder'],
];

/** Notes them down as they are now: after the modules have loaded, which may well have added to them. */
export function takeBuiltins(): Builtins {
  const saved: Saved[] = [];
  const seen = new Set<Holder>();
  const keep = (holder: Holder, key: string | symbol, name: string): void => {
    saved.push({ holder, key, name, value: holder[key] });
  };
  const save = (holder: Holder, path: string): void => {
    if (seen.has(holder)) return;
    seen.add(holder);
    for (const key of ownKeys(holder)) {
      const isMethod = typeof getOwnPropertyDescriptor(holder, key)?.value === 'function';
      if (isMethod) keep(holder, key, `${path}.${String(key)}`);
    }
  };
  const globals: Holder = globalThis;
  save(globals, 'globalThis');
  for (const name of namespaces) {
    const holder = globals[name];
    if (!isHolder(holder)) continue;
    keep(globals, name, name);
    save(holder, name);
  }
  for (const name of named) {
    const holder = globals[name];
    if (!isHolder(holder)) continue;
    save(holder, name);
    const { prototype } = holder;
    if (isHolder(prototype)) save(prototype, `${name}.prototype`);
  }
  for (const each of iterables) {
    const iterator: unknown = getPrototypeOf(each[Symbol.iterator]());
    if (isHolder(iterator)) save(iterator, 'an iterator');
  }
  // Inherited, as a rule: one of its own would take its place.
  for (const [holder, key] of [
    [Error, Symbol.hasInstance] as const,
    [performance, 'now'] as const,
  ]) {
    if (isHolder(holder)) keep(holder, key, String(key));
  }
  const inherited = ancestors.map((each) => ({ ...each, properties: ownKeys(each.holder).length }));
  return { saved, inherited };
}

/** The name of something that is no longer what it was; null when all is. Uses none of it. */
export function changedBuiltin({ saved, inherited }: Builtins): string | null {
  for (let at = 0; at < saved.length; at += 1) {
    const each = saved[at];
    if (each !== undefined && each.holder[each.key] !== each.value) return each.name;
  }
  for (let at = 0; at < inherited.length; at += 1) {
    const each = inherited[at];
    if (each !== undefined && ownKeys(each.holder).length !== each.properties) return each.name;
  }
  return null;
}

function isHolder(value: unknown): value is Holder {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
