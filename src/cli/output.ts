// Owns the streams of the process as the command writes to them: until their reader goes away, and never after.
import type { FrameSize } from './live-frame.ts';

const usualSize: FrameSize = { columns: 80, rows: 24 };

/**
 * A stream whose reader may leave (`troupe run | head`). What is written then goes nowhere: the reader of the screen is
 * gone, the job and its results file are not.
 */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #isGone = false;
  readonly #onGone: (() => void)[] = [];
  readonly #onError = (): void => {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const react of this.#onGone) react();
  };

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', this.#onError);
  }

  /** Leaves the stream to its owner, as it was. */
  detach(): void {
    this.#stream.off('error', this.#onError);
  }

  /** Its reader has left. */
  get isGone(): boolean {
    return this.#isGone;
  }

  whenGone(react: () => void): void {
    this.#onGone.push(react);
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  write(text: string): void {
    if (!this.#isGone) this.#stream.write(text);
  }

  line(text: string): void {
    this.write(`${text}\n`);
  }

  /** Of the terminal now; some say 0, and what is none has the usual one. */
  size(): FrameSize {
    const { columns, rows } = this.#stream;
    return { columns: columns || usualSize.columns, rows: rows || usualSize.rows };
  }
}
