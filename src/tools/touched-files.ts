// Owns which files the tools of one run touched: each once, up to a bound, and how many were told of beyond it.

/** Files that are listed of one run. */
export const maxTouched = 10_000;

export class TouchedFiles {
  readonly #paths = new Set<string>();
  #leftOut = 0;

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** How often it was told of a file when there was no room for more. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Whether it is of use to tell of this file. The first that finds no room is: so it is known that there are more. */
  wants(path: string): boolean {
    return this.#leftOut === 0 && !this.#paths.has(path);
  }

  add(path: string): void {
    if (this.#paths.size < maxTouched || this.#paths.has(path)) this.#paths.add(path);
    else this.#leftOut += 1;
  }
}
