// Owns what is kept of the event stream for readers that resume: the newest events, bounded by number and size (O1).
import type { TroupeEvent } from './events.ts';

const mostEntries = 10_000;
const mostBytes = 16 * 1024 * 1024;
const eventBytes = 300;

export class EventRing {
  #events: TroupeEvent[] = [];
  #start = 0;
  #bytes = 0;

  /** Keeps an event; the oldest go when there is no room. */
  keep(event: TroupeEvent): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    while (this.#events.length - this.#start > mostEntries || this.#bytes > mostBytes) {
      const oldest = this.#events[this.#start];
      if (oldest === undefined) break;
      this.#bytes -= sizeOf(oldest);
      this.#start += 1;
    }
    // Dropping from the front one by one would move the whole ring each time.
    if (this.#start > mostEntries) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Oldest first. */
  kept(): readonly TroupeEvent[] {
    return this.#events.slice(this.#start);
  }
}

function sizeOf(event: TroupeEvent): number {
  switch (event.type) {
    case 'task_completed':
      return eventBytes + event.outcome.text.length * 2;
    case 'board_posted':
      return eventBytes + event.entry.content.length * 2;
    default:
      return eventBytes;
  }
}
