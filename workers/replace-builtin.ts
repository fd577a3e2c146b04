// Owns how a function of Node is replaced: for good, and for modules that import it by its name once they are synced.

/** Code that comes later can neither set it back nor take it away. */
export function replace(owner: object, name: string, value: (...args: unknown[]) => unknown): void {
  Object.defineProperty(owner, name, { value, writable: false, configurable: false });
}
