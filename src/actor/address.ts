// Owns the address of an actor: plain data that may travel in messages, valid across restarts.

/** Where an actor can be reached. `id` is unique in its system, `path` names it for people. */
export type Address = {
  /** Stays the same across restarts. */
  readonly id: string;
  /** The names from the root down; a later actor may have the same one. */
  readonly path: string;
};

/** The path of a child; `/` alone is the root. */
export function childPath(parentPath: string, name: string): string {
  return parentPath === '/' ? `/${name}` : `${parentPath}/${name}`;
}
