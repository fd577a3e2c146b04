// Owns messages in a stream of bytes: each is its length and its structured clone. Judges no content.
import { deserialize, serialize } from 'node:v8';

const lengthBytes = 4;

/** Throws what cannot be cloned. */
export function frameOf(message: unknown): Buffer {
  const body = serialize(message);
  const frame = Buffer.allocUnsafe(lengthBytes + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, lengthBytes);
  return frame;
}

export class FrameReader {
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** Bytes of the next frame, its length included. */
  #wanted = lengthBytes;
  #hasLength = false;
  readonly #maxBytes: number;

  /** The longest message that is taken; default any. */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** The messages that are whole now. Throws for bytes that are no frames; then it is of no more use. */
  push(chunk: Uint8Array): readonly unknown[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const messages: unknown[] = [];
    while (this.#length >= this.#wanted) {
      const bytes = this.#take();
      if (this.#hasLength) {
        messages.push(deserialize(bytes));
        this.#hasLength = false;
        this.#wanted = lengthBytes;
        continue;
      }
      const length = bytes.readUInt32LE();
      if (length > this.#maxBytes) throw new Error(`a message of ${length} bytes`);
      this.#hasLength = true;
      this.#wanted = length;
    }
    return messages;
  }

  /** The bytes that are wanted; copied only where they came in pieces. */
  #take(): Buffer {
    const [first = new Uint8Array()] = this.#chunks;
    const whole = first.length >= this.#wanted ? first : Buffer.concat(this.#chunks);
    const bytes = Buffer.from(whole.buffer, whole.byteOffset, this.#wanted);
    const rest = whole.subarray(this.#wanted);
    this.#chunks = whole === first ? [rest, ...this.#chunks.slice(1)] : [rest];
    this.#length -= this.#wanted;
    if (rest.length === 0) this.#chunks.shift();
    return bytes;
  }
}
