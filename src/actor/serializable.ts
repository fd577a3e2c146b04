// Owns rule M6: what may be sent. One walk refuses what is not plain data and estimates its size.
import { reasonOf, TroupeError, toFailure } from '../base/failures.ts';

/** A message that passed the walk: errors replaced by their plain twin, size estimated for M5. */
export type Measured = { readonly value: unknown; readonly bytes: number };

const slotBytes = 8;
const objectBytes = 16;
const deepest = 512;
/**
 * Far more than any mailbox takes. Sharing kept over many levels makes a value whose walk has no end: `{ a: x, b: x }`
 * forty levels deep is a million million objects.
 */
const maxObjects = 4_000_000;
const tooMany = 'more than 4,000,000 objects and places of arrays, all told';

/** What is seen where a property is named by a symbol. */
export const bySymbol = 'a property named by a symbol';

/** Objects and places of arrays that the walk has come upon, a shared one every time. */
let visited = 0;

/** Set by the walk when it met an Error: the rare case in which the value must be copied. */
let metError = false;

/** Set while the walk refuses properties that are named by symbols too: a clone leaves them out. */
let refusesSymbols = false;

/**
 * Checks that `value` is plain data and estimates its bytes (M6).
 * Throws `not_serializable` with the path of the first thing that cannot cross a thread, and for more than 4,000,000 objects
 * and places of arrays; a shared one counts at every occurrence.
 */
export function measure(value: unknown): number {
  visited = 0;
  switch (typeof value) {
    case 'number':
    case 'boolean':
    case 'undefined':
      return slotBytes;
    case 'string':
      return slotBytes + value.length * 2;
    case 'bigint':
      return slotBytes * 2;
    case 'object':
      if (value === null) return slotBytes;
      try {
        return walkObject(value, 0);
      } catch (error) {
        throw within(error, null);
      }
    default:
      throw notSerializable(typeof value, '');
  }
}

/** The same for what a program hands over, where what would be lost is refused as well: properties named by symbols. */
export function measureGiven(value: unknown): number {
  refusesSymbols = true;
  try {
    return measure(value);
  } finally {
    refusesSymbols = false;
  }
}

/** The checked form of a message: itself, or a copy in which each Error is a `Failure` (M6). */
export function toSerializable(value: unknown): Measured {
  metError = false;
  const bytes = measure(value);
  if (!metError) return { value, bytes };
  const copy = withoutErrors(value);
  return { value: copy, bytes: measure(copy) };
}

function walk(value: unknown, depth: number, key: string | number): number {
  switch (typeof value) {
    case 'number':
    case 'boolean':
    case 'undefined':
      return slotBytes;
    case 'string':
      return slotBytes + value.length * 2;
    case 'bigint':
      return slotBytes * 2;
    case 'object':
      if (value === null) return slotBytes;
      try {
        return walkObject(value, depth);
      } catch (error) {
        throw within(error, key);
      }
    default:
      throw notSerializable(typeof value, pathOf(key));
  }
}

function walkObject(value: object, depth: number): number {
  if (depth > deepest) throw notSerializable('a cycle, or nesting deeper than 512', '');
  visited += 1;
  if (visited > maxObjects) throw notSerializable(tooMany, '');
  if (refusesSymbols) refuseSymbols(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return walkRecord(value, depth);
  if (Array.isArray(value)) {
    // A sparse array costs its sender nothing, but each walk its whole length.
    visited += value.length;
    if (visited > maxObjects) throw notSerializable(tooMany, '');
    let bytes = objectBytes;
    for (let index = 0; index < value.length; index += 1) {
      bytes += walk(value[index], depth + 1, index);
    }
    return bytes;
  }
  return walkSpecial(value, depth, prototype);
}

function refuseSymbols(value: object): void {
  for (const symbol of Object.getOwnPropertySymbols(value)) {
    // What is not enumerable is as little of the data as under any other name.
    if (!Object.prototype.propertyIsEnumerable.call(value, symbol)) continue;
    throw notSerializable(bySymbol, `[${String(symbol)}]`);
  }
}

function walkRecord(value: object, depth: number): number {
  let bytes = objectBytes;
  for (const key in value) {
    // A record's values are unknown by nature; reading one by its own key cannot lie about its type.
    bytes += key.length + walk((value as Record<string, unknown>)[key], depth + 1, key);
  }
  return bytes;
}

function walkSpecial(value: object, depth: number, prototype: unknown): number {
  if (value instanceof Map) {
    let bytes = objectBytes;
    for (const [key, entry] of value) {
      bytes += walk(key, depth + 1, 'a map key') + walk(entry, depth + 1, 'a map value');
    }
    return bytes;
  }
  if (value instanceof Set) {
    let bytes = objectBytes;
    for (const entry of value) bytes += walk(entry, depth + 1, 'a set entry');
    return bytes;
  }
  if (value instanceof Date) return objectBytes;
  if (value instanceof ArrayBuffer) return objectBytes + value.byteLength;
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) return objectBytes + value.byteLength;
    throw notSerializable('a view of shared memory', '');
  }
  if (value instanceof Error) {
    metError = true;
    return objectBytes + value.message.length * 2;
  }
  if (isForeignPrototype(prototype)) return walkRecord(value, depth);
  throw notSerializable(kindOf(value), '');
}

/** A plain object of another realm has a prototype whose own prototype is null. */
function isForeignPrototype(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  );
}

function kindOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an exotic object';
}

function pathOf(key: string | number): string {
  return typeof key === 'number' ? `[${key}]` : `.${key}`;
}

function notSerializable(what: string, path: string): TroupeError {
  const where = path === '' ? 'the message' : `message${path}`;
  const shown = what === 'function' || what === 'symbol' ? `a ${what}` : what;
  return new TroupeError('not_serializable', `${where} is ${shown}, which is not plain data`, {
    detail: { path, what: shown },
  });
}

/** The walk's own error, with its path from one level up; a proxy or getter that throws is no plain data either. */
function within(error: unknown, key: string | number | null): TroupeError {
  const at = key === null ? '' : pathOf(key);
  if (!isOwn(error)) return notSerializable(`what cannot be read (${reasonOf(error)})`, at);
  if (key === null) return error;
  const { path, what } = error.detail as { path: string; what: string };
  return notSerializable(what, at + path);
}

function isOwn(error: unknown): error is TroupeError {
  try {
    return error instanceof TroupeError && error.code === 'not_serializable';
  } catch {
    // A thrown proxy may throw when its class is read.
    return false;
  }
}

function withoutErrors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return toFailure(value);
  if (Array.isArray(value)) return value.map(withoutErrors);
  if (value instanceof Map) {
    return new Map([...value].map(([key, entry]) => [withoutErrors(key), withoutErrors(entry)]));
  }
  if (value instanceof Set) return new Set([...value].map(withoutErrors));
  const prototype: unknown = Object.getPrototypeOf(value);
  const isRecord = prototype === Object.prototype || prototype === null;
  if (!isRecord && !isForeignPrototype(prototype)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, withoutErrors(entry)]),
  );
}
