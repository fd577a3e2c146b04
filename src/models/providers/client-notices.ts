// Owns what the packages of providers print: one line each, without keys, told once however often it is said.
import { maskKeys } from '../../base/secret-text.ts';

/** A package says few things; what says more than that has lost its way. */
const mostNotices = 100;
const longestNotice = 500;

export class ClientNotices {
  readonly #tell: (notice: string) => void;
  readonly #told = new Set<string>();

  constructor(tell: (notice: string) => void) {
    this.#tell = tell;
  }

  readonly printed = (text: string): void => {
    const notice = maskKeys(text.replaceAll(/\s+/g, ' ').trim()).slice(0, longestNotice);
    if (notice === '' || this.#told.has(notice) || this.#told.size >= mostNotices) return;
    this.#told.add(notice);
    this.#tell(notice);
  };
}
