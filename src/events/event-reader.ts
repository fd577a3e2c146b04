// Owns one iteration over the event stream: unread events, what a slow reader loses and how it is notified (O1).
import { copyData } from '../base/copy-data.ts';
import { whenAborted } from '../base/when-aborted.ts';
import { maxBytes } from './event-ring.ts';
import type { EventFilter, EventType, TroupeEvent } from './event-types.ts';

type Unread = { readonly event: TroupeEvent; readonly bytes: number };

/** Events a reader may be behind: a whole ring that it resumes from, and as many again. */
const readerLag = 20_000;
/** Bytes they may take; the same. */
const readerBytes = 2 * maxBytes;
/** Beyond this many unread events a reader gets no deltas. */
const deltaLag = 1_000;

/** One iteration over the stream, whose events are the reader's own; a slow one loses deltas first, then gets one `events_dropped` and goes on from there. */
export class EventReader implements AsyncIterableIterator<TroupeEvent> {
  readonly #types: ReadonlySet<EventType> | null;
  readonly #afterSeq: number;
  readonly #onLeave: () => void;
  readonly #stopListening: () => void;
  #queue: Unread[] = [];
  #bytes = 0;
  #waiting: ((result: IteratorResult<TroupeEvent>) => void)[] = [];
  #isEnded = false;

  constructor(filter: EventFilter, onLeave: () => void) {
    this.#types = filter.types === undefined ? null : new Set(filter.types);
    this.#afterSeq = filter.afterSeq ?? 0;
    this.#onLeave = onLeave;
    const { signal } = filter;
    this.#stopListening = signal === undefined ? () => {} : whenAborted(signal, () => this.end());
  }

  /** `bytes` is about what the event takes. */
  push(event: TroupeEvent, isDelta: boolean, bytes: number): void {
    if (this.#isEnded) return;
    if (event.seq < this.#afterSeq || (event.seq === this.#afterSeq && !isDelta)) return;
    if (this.#types !== null && !this.#types.has(event.type)) return;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting({ done: false, value: copyData(event) });
      return;
    }
    if (isDelta && this.#queue.length > deltaLag) return;
    this.#queue.push({ event, bytes });
    this.#bytes += bytes;
    if (this.#queue.length <= readerLag && this.#bytes <= readerBytes) return;
    const first = this.#queue.find((unread) => unread.event.type !== 'model_delta')?.event ?? event;
    this.#forget();
    // An unread events_dropped is extended: the reader is notified once of everything it missed.
    const missedFrom = first.type === 'events_dropped' ? first.missedFrom : first.seq;
    this.missed(missedFrom, event.seq, event.at);
  }

  /** Queues an `events_dropped` in place of the events that were dropped. */
  missed(missedFrom: number, missedTo: number, at: number): void {
    const event: TroupeEvent = { seq: missedTo, at, type: 'events_dropped', missedFrom, missedTo };
    this.#queue.push({ event, bytes: 0 });
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopListening();
    this.#onLeave();
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<TroupeEvent>> {
    const unread = this.#queue.shift();
    if (unread !== undefined) {
      this.#bytes -= unread.bytes;
      return Promise.resolve({ done: false, value: copyData(unread.event) });
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  return(): Promise<IteratorResult<TroupeEvent>> {
    this.#forget();
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  #forget(): void {
    this.#queue = [];
    this.#bytes = 0;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
