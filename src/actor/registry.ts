// Owns which cells there are: by id, and by path while a name is in use.
import type { Address } from './address.ts';
import { type Exit, isNormalExit } from './exit.ts';

const maxRemembered = 1_000;
const forgotten: Exit = { reason: 'stopped' };

export class Registry<Cell extends { readonly address: Address }> {
  readonly #byId = new Map<string, Cell>();
  readonly #byPath = new Map<string, Cell>();
  /** How the last 1,000 that did not end in good order ended, for watches that come too late (V5). */
  readonly #badEnds = new Map<string, Exit>();
  #lastId = 0;

  /** A new id; ids are never used twice, so an address never reaches another actor. */
  nextId(): string {
    this.#lastId += 1;
    return `a${this.#lastId}`;
  }

  isTaken(path: string): boolean {
    return this.#byPath.has(path);
  }

  /** An actor without a name is found by its id, the last segment of its path. */
  add(cell: Cell, isNamed: boolean): void {
    this.#byId.set(cell.address.id, cell);
    if (isNamed) this.#byPath.set(cell.address.path, cell);
  }

  /** Releases the name; the id is still known as one that ended. */
  remove(cell: Cell, exit: Exit): void {
    this.#byId.delete(cell.address.id);
    if (!isNormalExit(exit.reason)) this.#remember(cell.address.id, exit);
    if (this.#byPath.size > 0 && this.#byPath.get(cell.address.path) === cell) {
      this.#byPath.delete(cell.address.path);
    }
  }

  get(id: string): Cell | undefined {
    return this.#byId.get(id);
  }

  find(idOrPath: string): Cell | undefined {
    const known = this.#byId.get(idOrPath) ?? this.#byPath.get(idOrPath);
    if (known !== undefined) return known;
    const unnamed = this.#byId.get(idOrPath.slice(idOrPath.lastIndexOf('/') + 1));
    return unnamed?.address.path === idOrPath ? unnamed : undefined;
  }

  /** True for an id that was given out: its actor ended, as opposed to never having been. */
  wasIssued(id: string): boolean {
    const number = Number(id.slice(1));
    return id.startsWith('a') && Number.isInteger(number) && number > 0 && number <= this.#lastId;
  }

  /** How an actor that is gone ended; `stopped` when it ended in good order, long ago, or never was. */
  exitOf(id: string): Exit {
    return this.#badEnds.get(id) ?? forgotten;
  }

  #remember(id: string, exit: Exit): void {
    this.#badEnds.set(id, exit);
    if (this.#badEnds.size <= maxRemembered) return;
    const oldest = this.#badEnds.keys().next();
    if (oldest.done !== true) this.#badEnds.delete(oldest.value);
  }

  get size(): number {
    return this.#byId.size;
  }

  cells(): IterableIterator<Cell> {
    return this.#byId.values();
  }
}
