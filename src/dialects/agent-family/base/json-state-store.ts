// Owns states of agents as files: one JSON file per key in a folder, replaced whole (D11).
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toSerializable } from '../../../actor/serializable.ts';
import { TroupeError, toFailure } from '../../../base/failures.ts';
import type { StateDict } from './state.ts';
import type { StateStore } from './state-store.ts';

/**
 * Keeps each state in a file of its own. The folder is made when it is first needed; a file is written beside its place
 * and moved there, so that a reader never sees half of one. Saves of one key follow each other.
 */
export class JsonStateStore implements StateStore {
  readonly #directory: string;
  readonly #saving = new Map<string, Promise<void>>();

  constructor(directory: string) {
    if (typeof directory !== 'string' || directory === '') {
      throw new TroupeError('invalid_options', 'JsonStateStore: expected the path of a folder');
    }
    this.#directory = directory;
  }

  /** Rejects with the file system's error, and `invalid_options` for what JSON cannot represent. */
  async save(key: string, state: StateDict): Promise<void> {
    // Taken now: what changes while an earlier save is on belongs to the next one.
    const text = jsonOf(key, state);
    const before = this.#saving.get(key) ?? Promise.resolve();
    const saved = before.then(() => this.#write(key, text));
    // The next save of the key proceeds even if this one fails: the caller of this one receives the error.
    const settled = saved.catch(() => {});
    this.#saving.set(key, settled);
    await saved.finally(() => {
      if (this.#saving.get(key) === settled) this.#saving.delete(key);
    });
  }

  /** Null when there is no file. Rejects `invalid_options` for a file that contains no state. */
  async load(key: string): Promise<StateDict | null> {
    await this.#saving.get(key);
    const path = this.#pathOf(key);
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
    return stateOf(text, path);
  }

  async #write(key: string, text: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const path = this.#pathOf(key);
    // Of this write alone: another store of the same folder may save the same key.
    const beside = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(beside, text);
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  /** Of any key one plain file name: what a path could read is written in hexadecimal. */
  #pathOf(key: string): string {
    const safe = key.replace(/[^A-Za-z0-9-]/g, (sign) => `_${hex(sign)}_`);
    return join(this.#directory, `${safe}.json`);
  }
}

function hex(sign: string): string {
  return sign.charCodeAt(0).toString(16);
}

function jsonOf(key: string, state: StateDict): string {
  // A Map or a Date would come back as something else: better refused than changed.
  const text = JSON.stringify(toSerializable(state).value);
  const lost = firstLost(state, '');
  if (lost === null) return text;
  throw new TroupeError('invalid_options', `state ${key}: JSON cannot hold ${lost}`);
}

function firstLost(value: unknown, path: string): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : path;
  if (typeof value === 'bigint') return path;
  if (typeof value !== 'object' || value === null) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isData = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  if (!isData) return path;
  for (const [field, each] of Object.entries(value)) {
    const lost = firstLost(each, path === '' ? field : `${path}.${field}`);
    if (lost !== null) return lost;
  }
  return null;
}

function stateOf(text: string, path: string): StateDict {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch (thrown) {
    const { message } = toFailure(thrown);
    throw new TroupeError('invalid_options', `${path} holds no state: ${message}`);
  }
  if (typeof state === 'object' && state !== null && !Array.isArray(state)) {
    // An object of JSON: its fields are judged by who loads them.
    return state as StateDict;
  }
  throw new TroupeError('invalid_options', `${path} holds no state`);
}
