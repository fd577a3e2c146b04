// Owns what is kept of the event stream for readers that resume: the newest events, bounded by number and size (O1).
import type { TroupeEvent } from './event-types.ts';

const maxEntries = 10_000;
/** Bytes of the events that are kept. */
export const maxBytes = 16 * 1024 * 1024;
const eventBytes = 300;
/** Of one value in it. */
const valueBytes = 8;
/** Levels of an event that are weighed; a text deeper than those of an outcome is none of ours. */
const weighedLevels = 6;

export class EventRing {
  /** Null is what was dropped: its place is given up later, its event at once. */
  #events: (TroupeEvent | null)[] = [];
  /** What each of them weighs, beside it: so many small records would be most of what the collector moves. */
  #weights: number[] = [];
  #start = 0;
  #bytes = 0;

  /** Keeps an event; the oldest are dropped when the ring is full. */
  keep(event: TroupeEvent, bytes: number): void {
    this.#events.push(event);
    this.#weights.push(bytes);
    this.#bytes += bytes;
    while (this.#events.length - this.#start > maxEntries || this.#bytes > maxBytes) {
      this.#bytes -= this.#weights[this.#start] ?? 0;
      this.#events[this.#start] = null;
      this.#start += 1;
    }
    // Dropping from the front one by one would move the whole ring each time.
    if (this.#start > maxEntries) {
      this.#events = this.#events.slice(this.#start);
      this.#weights = this.#weights.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Oldest first. */
  kept(): readonly TroupeEvent[] {
    return this.#events.filter((event) => event !== null);
  }
}

/** About what an event takes, in bytes: its texts, and a little for what else it has. */
export function weightOf(event: TroupeEvent): number {
  return eventBytes + textBytes(event, weighedLevels);
}

/** Bytes of the texts of an event, wherever they occur: a goal, an outcome, the detail of a failure. */
function textBytes(value: object, levels: number): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 0;
  // Every event comes by here: no list of its values is made.
  for (const key in value) {
    const part: unknown = value[key as keyof typeof value];
    bytes += valueBytes;
    if (typeof part === 'string') bytes += part.length * 2;
    else if (typeof part === 'object' && part !== null && levels > 1) {
      bytes += textBytes(part, levels - 1);
    }
  }
  return bytes;
}
