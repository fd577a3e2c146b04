// Owns the cutting of a stream of bytes into server-sent events. Knows nothing of their content.
import { ByteBuffer } from './byte-buffer.ts';

const newline = 0x0a;
const carriage = 0x0d;
const colon = 0x3a;
const lineEnd = Uint8Array.of(newline);

/** Events as they were sent, but for comments, and line ends that are not `\n`. Takes time with their length. */
export class EventFramer {
  /** What has come of the event that is not whole. */
  readonly #buffered = new ByteBuffer();
  #isLineBegun = false;
  #isComment = false;
  #isAfterCarriage = false;

  /** Bytes of the event that is not whole. */
  get bufferedBytes(): number {
    return this.#buffered.length;
  }

  /** The events that are whole now. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    const events: Uint8Array[] = [];
    // Each kind of end is looked for once per line at most, and not again while its next place is known.
    let feed = placeOf(newline, chunk, 0);
    let carriageAt = placeOf(carriage, chunk, 0);
    let from = 0;
    if (this.#isAfterCarriage && feed === 0) from = 1;
    if (chunk.length > 0) this.#isAfterCarriage = chunk[chunk.length - 1] === carriage;
    for (;;) {
      if (feed < from) feed = placeOf(newline, chunk, from);
      if (carriageAt < from) carriageAt = placeOf(carriage, chunk, from);
      const end = Math.min(feed, carriageAt);
      this.#add(chunk.subarray(from, end));
      if (end === chunk.length) return events;
      from = end === carriageAt && feed === end + 1 ? end + 2 : end + 1;
      const event = this.#endLine();
      if (event !== null) events.push(event);
    }
  }

  /** What is left of a stream that ended within an event. */
  end(): readonly Uint8Array[] {
    return this.bufferedBytes === 0 ? [] : [this.#buffered.take()];
  }

  /** More of a line. */
  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (!this.#isLineBegun) this.#isComment = bytes[0] === colon;
    this.#isLineBegun = true;
    if (!this.#isComment) this.#buffered.append(bytes);
  }

  /** The event that an empty line ends. */
  #endLine(): Uint8Array | null {
    const isEmpty = !this.#isLineBegun;
    const isKept = !this.#isComment;
    this.#isLineBegun = false;
    this.#isComment = false;
    // An empty line before any other ends nothing.
    if (isEmpty && this.bufferedBytes === 0) return null;
    if (isKept) this.#buffered.append(lineEnd);
    return isEmpty ? this.#buffered.take() : null;
  }
}

function placeOf(byte: number, chunk: Uint8Array, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found === -1 ? chunk.length : found;
}
