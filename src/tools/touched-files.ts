// Owns which files the tools of one run touched: each once, up to a bound, and how many were reported beyond it.

/** Files that are listed of one run. */
export const maxTouched = 10_000;

export class TouchedFiles {
  readonly #paths = new Set<string>();
  #leftOut = 0;

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** How often a file was reported after the bound was reached. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Whether this file needs to be reported. The first one beyond the bound does: it shows that there are more. */
  wants(path: string): boolean {
    return this.#leftOut === 0 && !this.#paths.has(path);
  }

  add(path: string): void {
    if (this.#paths.size < maxTouched || this.#paths.has(path)) this.#paths.add(path);
    else this.#leftOut += 1;
  }
}
