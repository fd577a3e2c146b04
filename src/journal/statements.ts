// Owns the statements of a connection: each is prepared once. And the sum by which a text that was damaged is known.
import { crc32 } from 'node:zlib';
import type { Database, Statement } from './driver.ts';

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

export function sumOf(text: string): number {
  return crc32(text);
}
