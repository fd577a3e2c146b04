// Owns what is kept of a stream of output: its beginning and its end, within a cap, however much there is.

const headBytes = 524_288;
const tailBytes = 524_288;

/** Collects bytes as they come; never keeps more than 1 MiB and one chunk. */
export class KeptOutput {
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #total = 0;

  /** Bytes that came, kept or not. */
  get total(): number {
    return this.#total;
  }

  push(bytes: Buffer): void {
    this.#total += bytes.length;
    const remaining = headBytes - this.#headSize;
    const first = bytes.subarray(0, remaining);
    if (first.length > 0) {
      this.#head.push(Buffer.from(first));
      this.#headSize += first.length;
    }
    if (bytes.length <= remaining) return;
    this.#tail.push(Buffer.from(bytes.subarray(remaining)));
    this.#tailSize += bytes.length - remaining;
    for (;;) {
      const oldest = this.#tail[0];
      if (oldest === undefined || this.#tailSize - oldest.length < tailBytes) return;
      this.#tail.shift();
      this.#tailSize -= oldest.length;
    }
  }

  /** The text so far, with a line where bytes were left out; starts anew. */
  take(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const leftOut = this.#total - head.length - tail.length;
    this.#head = [];
    this.#tail = [];
    this.#headSize = 0;
    this.#tailSize = 0;
    this.#total = 0;
    if (leftOut === 0) return Buffer.concat([head, tail]).toString('utf8');
    return `${head.toString('utf8')}\n[${leftOut} bytes of output were not kept]\n${tail.toString('utf8')}`;
  }
}
