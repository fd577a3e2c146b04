// Owns where states of agents are stored between sessions: the port, its form in memory, saving and loading (D11).
import { describe, TroupeError } from '../../../base/failures.ts';
import type { StateDict, Stateful } from './state.ts';

/** Keeps states by key. What is saved is plain JSON; a key is a text of the program's. */
export interface StateStore {
  /** Stores the state in place of an earlier one under the key. */
  save(key: string, state: StateDict): Promise<void>;
  /** Null when nothing was saved under the key. */
  load(key: string): Promise<StateDict | null>;
}

/** Keeps states in memory until the process ends. */
export class MemoryStateStore implements StateStore {
  readonly #states = new Map<string, StateDict>();

  async save(key: string, state: StateDict): Promise<void> {
    this.#states.set(key, structuredClone(state));
  }

  async load(key: string): Promise<StateDict | null> {
    return structuredClone(this.#states.get(key) ?? null);
  }

  /** The keys under which something was saved. */
  keys(): readonly string[] {
    return [...this.#states.keys()];
  }
}

/** The same store under keys that begin with `prefix`: two prefixes never meet. */
export function prefixedStore(store: StateStore, prefix: string): StateStore {
  return {
    save: (key, state) => store.save(`${prefix}${key}`, state),
    load: (key) => store.load(`${prefix}${key}`),
  };
}

/** Saves what several modules have registered, by their names, under one key. */
export async function saveState(
  store: StateStore,
  key: string,
  modules: Readonly<Record<string, Stateful>>,
): Promise<void> {
  const entries = Object.entries(modules).map(([name, each]) => [name, each.stateDict()]);
  await store.save(key, Object.fromEntries(entries));
}

/**
 * Loads what was saved under a key into the modules of the same names; false when nothing was. Rejects `invalid_options`
 * for a module that the state lacks, before any is loaded.
 */
export async function loadState(
  store: StateStore,
  key: string,
  modules: Readonly<Record<string, Stateful>>,
): Promise<boolean> {
  const state = await store.load(key);
  if (state === null) return false;
  const names = Object.keys(modules);
  const missing = names.find((name) => !Object.hasOwn(state, name));
  if (missing !== undefined) {
    throw new TroupeError(
      'invalid_options',
      `the state ${describe(key)} has no ${describe(missing)}; it has: ${Object.keys(state).join(', ')}`,
    );
  }
  // What a module saved is an object; each judges its own.
  for (const name of names) modules[name]?.loadStateDict(state[name] as StateDict);
  return true;
}
