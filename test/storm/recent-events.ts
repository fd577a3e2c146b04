// Owns the last events of a storm, a line each: what a fault is reported with.
import type { TroupeEvent } from '#src/index.js';

const kept = 60;
const lineLength = 300;

export class RecentEvents {
  readonly #lines: string[] = [];

  see(event: TroupeEvent): void {
    const { at: _, ...facts } = event;
    this.#lines.push(JSON.stringify(facts).slice(0, lineLength));
    if (this.#lines.length > kept) this.#lines.shift();
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}
