// Owns the one way to SQLite: what the store needs of it, from Node's own module or from the package `libsql`.
import { reasonOf, TroupeError } from '../base/failures.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Param = string | number | null;

/** A prepared statement. */
export interface Statement {
  run(...params: readonly Param[]): unknown;
  get(...params: readonly Param[]): Row | undefined;
  iterate(...params: readonly Param[]): Iterable<Row>;
}

/** An open database. Every call throws what SQLite says. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

type Constructor = new (path: string, options?: Readonly<Record<string, unknown>>) => Database;

/** Opens a database file; it waits for no other connection. Rejects `journal_driver_missing` where neither is there. */
export async function openDatabase(path: string): Promise<Database> {
  const Opened = await loadDriver();
  return new Opened(path, { timeout: 0 });
}

async function loadDriver(): Promise<Constructor> {
  const own = await nodeDriver();
  if (own !== null) return own;
  try {
    const { default: Libsql } = await import('libsql');
    return Libsql as unknown as Constructor;
  } catch (thrown) {
    const why = `Node ${process.versions.node} has no SQLite of its own, and the package libsql cannot be loaded: ${reasonOf(thrown)}`;
    throw new TroupeError('journal_driver_missing', why, { cause: thrown });
  }
}

/** Null before Node 22.13, where a flag hides it. */
async function nodeDriver(): Promise<Constructor | null> {
  // Not known to the types of the oldest Node, nor to every bundler.
  const name = 'node:sqlite';
  try {
    const { DatabaseSync } = (await import(name)) as { readonly DatabaseSync: Constructor };
    return DatabaseSync;
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_UNKNOWN_BUILTIN_MODULE') return null;
    throw thrown;
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
