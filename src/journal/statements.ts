// Owns the statements of a connection, each prepared once, and how texts are read: by a sum those are known that were damaged.
import { crc32 } from 'node:zlib';
import type { Database, Param, Statement } from './driver.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class Statements {
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  of(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/**
 * What to select, so that a damaged byte makes a wrong value: there is a driver that ends the process at a text which is no UTF-8,
 * whatever its column was meant to have.
 */
export function columns(texts: readonly string[], numbers: readonly string[] = []): string {
  const cast = (names: readonly string[], type: string): readonly string[] =>
    names.map((name) => `CAST(${name} AS ${type}) AS ${name}`);
  return [...cast(texts, 'BLOB'), ...cast(numbers, 'REAL')].join(', ');
}

/** A text of `columns`; null for none. Damage shows in it, and its sum is another. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // One driver has them as views, the other as buffers.
  const isBytes = value instanceof Uint8Array || value instanceof ArrayBuffer;
  return isBytes ? decoder.decode(value) : String(value);
}

/** Of a text and of what says where it belongs. */
export function sumOf(text: string, ...place: readonly Param[]): number {
  return crc32(text, crc32(JSON.stringify(place)));
}
