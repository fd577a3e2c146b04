// Owns the part of a terminal that is redrawn in place: its current lines and the cursor. Does not know what it shows.
import { stripVTControlCharacters } from 'node:util';
import type { FrameSize } from './live-frame.ts';
import { widthOf } from './text.ts';

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const eraseBelow = '\u001b[J';
const eraseLine = '\u001b[K';

/** Rows that lines of a frame take on a terminal this wide: those drawn on a wider one have wrapped since. */
export function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((rows, line) => {
    const width = widthOf(stripVTControlCharacters(line));
    return rows + Math.max(1, Math.ceil(width / Math.max(1, columns)));
  }, 0);
}

export class Screen {
  readonly #write: (text: string) => void;
  readonly #size: () => FrameSize;
  #drawn: readonly string[] = [];
  readonly #keepsCursor: boolean;
  #isShown = false;

  /** The cursor is hidden while a frame is shown, unless it `keepsCursor`. */
  constructor(options: { write(text: string): void; size(): FrameSize; keepsCursor: boolean }) {
    this.#write = options.write;
    this.#size = options.size;
    this.#keepsCursor = options.keepsCursor;
  }

  /**
   * Replaces the frame, in one write, line by line: a terminal shows no gap. Lines `above` it are no part of it and are
   * never drawn over.
   */
  draw(lines: readonly string[], above: readonly string[] = []): void {
    const hide = this.#isShown || this.#keepsCursor ? '' : hideCursor;
    this.#isShown = true;
    const body = [...above, ...lines].map((line) => `${line}${eraseLine}\n`).join('');
    this.#write(`${hide}${this.#toFrameStart()}${body}${eraseBelow}`);
    this.#drawn = lines;
  }

  /** Takes the frame away and gives the cursor back. Idempotent. */
  release(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    const show = this.#keepsCursor ? '' : showCursor;
    this.#write(`${this.#toFrameStart()}${eraseBelow}${show}`);
    this.#drawn = [];
  }

  /** To the first line of the frame. */
  #toFrameStart(): string {
    const rows = rowsOf(this.#drawn, this.#size().columns);
    return rows === 0 ? '' : `\u001b[${rows}A\r`;
  }
}
