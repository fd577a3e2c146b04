// Owns what the packages of providers print: one line each, without keys, each reported only once.
import { maskKeys } from '../../base/secret-text.ts';

/** A package prints few different notices; later ones beyond this number are ignored. */
const maxNotices = 100;
const maxNotice = 500;

export class ClientNotices {
  readonly #tell: (notice: string) => void;
  readonly #reported = new Set<string>();

  constructor(tell: (notice: string) => void) {
    this.#tell = tell;
  }

  readonly printed = (text: string): void => {
    const notice = maskKeys(text.replaceAll(/\s+/g, ' ').trim()).slice(0, maxNotice);
    if (notice === '' || this.#reported.has(notice) || this.#reported.size >= maxNotices) return;
    this.#reported.add(notice);
    this.#tell(notice);
  };
}
