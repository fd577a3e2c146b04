// Owns the check that a life left the functions of the language and of Node as it found them: whoever replaces one breaks
// the thread for all that come after it.

type Saved = {
  readonly holder: object;
  readonly key: string | symbol;
  readonly name: string;
  readonly value: unknown;
};

/** Every function that could be replaced, as it was; and how many properties everything inherits. */
export type Builtins = { readonly saved: readonly Saved[]; readonly inherited: number };

// Taken before any other code runs here: what is looked for may be broken in any of these.
const { get, ownKeys, getOwnPropertyDescriptor } = Reflect;
const everything = Object.prototype;

const named = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'BigInt', 'Symbol', 'Promise', 'RegExp'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Date', 'Iterator'],
  ...['Error', 'TypeError', 'RangeError', 'AggregateError', 'ArrayBuffer', 'SharedArrayBuffer'],
  ...['DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'BigInt64Array', 'URL', 'Event'],
  ...['AbortController', 'AbortSignal', 'EventTarget', 'MessagePort', 'TextEncoder', 'TextDecoder'],
];

/** Notes down the functions as they are now: after the modules have loaded, which may well have added to them. */
export function takeBuiltins(): Builtins {
  const saved: Saved[] = [];
  const seen = new Set<object>();
  const save = (holder: object, path: string): void => {
    if (seen.has(holder)) return;
    seen.add(holder);
    for (const key of ownKeys(holder)) {
      const value: unknown = getOwnPropertyDescriptor(holder, key)?.value;
      const name = `${path}.${String(key)}`;
      if (typeof value === 'function') saved.push({ holder, key, name, value });
    }
  };
  save(globalThis, 'globalThis');
  for (const name of ['JSON', 'Math', 'Reflect', 'Atomics', 'console', 'process', 'Buffer']) {
    const holder: unknown = get(globalThis, name);
    if (typeof holder === 'object' && holder !== null) save(holder, name);
  }
  for (const name of named) {
    const holder: unknown = get(globalThis, name);
    if (typeof holder !== 'function') continue;
    save(holder, name);
    const prototype: unknown = get(holder, 'prototype');
    if (typeof prototype === 'object' && prototype !== null) save(prototype, `${name}.prototype`);
  }
  return { saved, inherited: ownKeys(everything).length };
}

/** The name of a function that is no longer what it was; null when all are. Uses none of them. */
export function changedBuiltin({ saved, inherited }: Builtins): string | null {
  for (let at = 0; at < saved.length; at += 1) {
    const each = saved[at];
    if (each !== undefined && get(each.holder, each.key) !== each.value) return each.name;
  }
  return ownKeys(everything).length === inherited ? null : 'Object.prototype';
}
