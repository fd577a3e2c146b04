// Owns the telling of a command's output from the mark that its shell prints after it.

/** A mark contains a command's status: `NUL token status NUL`. A command knows no token, and a trace prints no NUL. */
const maxMark = 128;

/** Splits a stream at its marks, wherever the chunks end. */
export class MarkedStream {
  #rest: Buffer = Buffer.alloc(0);

  /** The output before the mark of `token`, and the status in it once it came. */
  push(
    chunk: Buffer,
    token: string | null,
  ): { readonly output: Buffer; readonly status: number | null } {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = Buffer.alloc(0);
    if (token === null) return { output: bytes, status: null };
    const start = Buffer.from(`\0${token} `);
    const at = bytes.indexOf(start);
    const end = at === -1 ? -1 : bytes.indexOf(0, at + start.length);
    if (end !== -1) {
      const status = Number(bytes.subarray(at + start.length, end).toString('latin1'));
      // What came after it belongs to processes in the background; it is shown with the next command.
      this.#rest = Buffer.from(bytes.subarray(end + 1));
      return { output: bytes.subarray(0, at), status };
    }
    // A mark may have begun: only what cannot be part of one is let through.
    const nul = bytes.indexOf(0, Math.max(0, bytes.length - maxMark));
    const sure = nul === -1 ? bytes.length : nul;
    this.#rest = Buffer.from(bytes.subarray(sure));
    return { output: bytes.subarray(0, sure), status: null };
  }

  /** Returns the buffered rest, once no mark can come any more. */
  flush(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest;
  }
}
