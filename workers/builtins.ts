// Owns the check that an activation left the built-ins of the language and Node as it found them: a replaced function
// or namespace, or an addition to what all inherit, breaks the thread for all later activations.

type Owner = Readonly<Record<string | symbol, unknown>>;

type Saved = {
  readonly owner: Owner;
  readonly key: string | symbol;
  readonly name: string;
  readonly value: unknown;
};

/** Something that much inherits from, and how many properties it has. */
type Inherited = { readonly owner: object; readonly name: string; readonly properties: number };

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
  { owner: Object.prototype, name: 'Object.prototype' },
  { owner: Array.prototype, name: 'Array.prototype' },
  { owner: String.prototype, name: 'String.prototype' },
  { owner: Function.prototype, name: 'Function.prototype' },
];
const iterables = [[], '', new Map(), new Set()];

const named = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'BigInt', 'Symbol', 'Promise', 'RegExp'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Date', 'Iterator'],
  ...['Error', 'TypeError', 'RangeError', 'AggregateError', 'ArrayBuffer', 'SharedArrayBuffer'],
  ...['DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'BigInt64Array', 'URL', 'Event'],
  ...['AbortController', 'AbortSignal', 'EventTarget', 'MessagePort', 'TextEncoder', 'TextDecoder'],
];

/** Records them as they are now: after the modules have loaded, which may well have added to them. */
export function takeBuiltins(): Builtins {
  const saved: Saved[] = [];
  const seen = new Set<Owner>();
  const keep = (owner: Owner, key: string | symbol, name: string): void => {
    saved.push({ owner, key, name, value: owner[key] });
  };
  const save = (owner: Owner, path: string): void => {
    if (seen.has(owner)) return;
    seen.add(owner);
    for (const key of ownKeys(owner)) {
      const isMethod = typeof getOwnPropertyDescriptor(owner, key)?.value === 'function';
      if (isMethod) keep(owner, key, `${path}.${String(key)}`);
    }
  };
  const globals: Owner = globalThis;
  save(globals, 'globalThis');
  for (const name of namespaces) {
    const owner = globals[name];
    if (!isOwner(owner)) continue;
    keep(globals, name, name);
    save(owner, name);
  }
  for (const name of named) {
    const owner = globals[name];
    if (!isOwner(owner)) continue;
    save(owner, name);
    const { prototype } = owner;
    if (isOwner(prototype)) save(prototype, `${name}.prototype`);
  }
  for (const each of iterables) {
    const iterator: unknown = getPrototypeOf(each[Symbol.iterator]());
    if (isOwner(iterator)) save(iterator, 'an iterator');
  }
  // Inherited, as a rule: one of its own would take its place.
  for (const [owner, key] of [
    [Error, Symbol.hasInstance] as const,
    [performance, 'now'] as const,
  ]) {
    if (isOwner(owner)) keep(owner, key, String(key));
  }
  const inherited = ancestors.map((each) => ({ ...each, properties: ownKeys(each.owner).length }));
  return { saved, inherited };
}

/** The name of something that is no longer what it was; null when all is. Uses none of it. */
export function changedBuiltin({ saved, inherited }: Builtins): string | null {
  for (let at = 0; at < saved.length; at += 1) {
    const each = saved[at];
    if (each !== undefined && each.owner[each.key] !== each.value) return each.name;
  }
  for (let at = 0; at < inherited.length; at += 1) {
    const each = inherited[at];
    if (each !== undefined && ownKeys(each.owner).length !== each.properties) return each.name;
  }
  return null;
}

function isOwner(value: unknown): value is Owner {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
