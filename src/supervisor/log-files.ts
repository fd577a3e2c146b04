// Owns how files for people are created: in a directory that is made when needed, never over an existing file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of `<name><extension>`, or `<name>-2<extension>`, … */
export type FreshName = {
  readonly directory: string;
  readonly name: string;
  /** With its dot. */
  readonly extension: string;
};

/** Names tried before it is given up. */
const maxNames = 1_000;
/** Fails when the file exists; only the owner may read it. */
const flags = { flag: 'wx', mode: 0o600 } as const;

/** Writes a file synchronously and returns its path. Throws the file system's error. */
export function writeFresh(fresh: FreshName, text: string): string {
  mkdirSync(fresh.directory, { recursive: true });
  for (let count = 1; ; count += 1) {
    const path = pathOf(fresh, count);
    try {
      writeFileSync(path, text, flags);
      return path;
    } catch (error) {
      if (!isTaken(error) || count === maxNames) throw error;
    }
  }
}

/** Creates an empty file and resolves with its path. Rejects with the file system's error. */
export async function createFresh(fresh: FreshName): Promise<string> {
  await mkdir(fresh.directory, { recursive: true });
  for (let count = 1; ; count += 1) {
    const path = pathOf(fresh, count);
    try {
      await writeFile(path, '', flags);
      return path;
    } catch (error) {
      if (!isTaken(error) || count === maxNames) throw error;
    }
  }
}

function pathOf({ directory, name, extension }: FreshName, count: number): string {
  return join(directory, `${name}${count === 1 ? '' : `-${count}`}${extension}`);
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
