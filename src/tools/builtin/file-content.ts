// Owns the reading of an open file by lines, and the telling of text from binary. Opens and closes nothing.
import { readSync } from 'node:fs';
import { TextDecoder } from 'node:util';
import { type OpenFile, translated } from '../workspace.ts';

const chunkBytes = 65_536;
const sniffedBytes = 8_192;
const newline = 0x0a;

/** True when bytes begin like no text: with a NUL in the first 8 KB. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, sniffedBytes).includes(0);
}

/** The beginning of a file, as much as `isBinary` looks at. */
export function headOf(file: OpenFile, path: string): Buffer {
  const head = Buffer.alloc(sniffedBytes);
  const length = translated(path, () => readSync(file.descriptor, head, 0, sniffedBytes, 0));
  return head.subarray(0, length);
}

export type LineRange = {
  /** Number of the first line, from 1. */
  readonly offset: number;
  /** Undefined means to the end. */
  readonly limit: number | undefined;
  readonly maxBytes: number;
};

export type Lines = {
  readonly text: string;
  /** The last line shown, or the last there is when the range begins behind the end. */
  readonly lastLine: number;
  /** Why the text ends: with the file, with the limit, after a line at the byte cap, or within a line longer than the cap. */
  readonly end: 'file' | 'limit' | 'bytes' | 'long_line';
};

/**
 * Reads a range of lines, with no more than the cap and one chunk in memory, however large the file is.
 * `checkpoint` is called once per chunk and may throw.
 */
export function readLines(
  file: OpenFile,
  path: string,
  range: LineRange,
  checkpoint: () => void,
): Lines {
  const { offset, limit = Number.POSITIVE_INFINITY, maxBytes } = range;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let wholeLineBytes = 0;
  let seenBytes = 0;
  let line = 0;
  let isNewLine = true;
  for (const piece of piecesOf(file, path, checkpoint)) {
    if (isNewLine) line += 1;
    isNewLine = piece.endsLine;
    seenBytes += piece.bytes.length;
    if (line < offset) continue;
    if (keptBytes + piece.bytes.length > maxBytes) {
      const all = Buffer.concat([...kept, piece.bytes]);
      return wholeLineBytes > 0
        ? { text: decode(all.subarray(0, wholeLineBytes)), lastLine: line - 1, end: 'bytes' }
        : { text: decode(all.subarray(0, maxBytes)), lastLine: line, end: 'long_line' };
    }
    // Copied: the chunk below it is used again.
    kept.push(Buffer.from(piece.bytes));
    keptBytes += piece.bytes.length;
    if (piece.endsLine) wholeLineBytes = keptBytes;
    const isLast = piece.endsLine && line - offset + 1 >= limit;
    if (isLast && seenBytes < file.stats.size) {
      return { text: decode(Buffer.concat(kept)), lastLine: line, end: 'limit' };
    }
  }
  return { text: decode(Buffer.concat(kept)), lastLine: line, end: 'file' };
}

type Piece = { readonly bytes: Buffer; readonly endsLine: boolean };

/** A file as pieces of lines; a line may come in several, and a piece is valid until the next one is asked for. */
function* piecesOf(file: OpenFile, path: string, checkpoint: () => void): Generator<Piece> {
  const buffer = Buffer.alloc(chunkBytes);
  let position = 0;
  for (;;) {
    checkpoint();
    const from = position;
    const length = translated(path, () => readSync(file.descriptor, buffer, 0, chunkBytes, from));
    if (length === 0) return;
    position += length;
    const chunk = buffer.subarray(0, length);
    for (let at = 0; at < length; ) {
      const found = chunk.indexOf(newline, at);
      const end = found === -1 ? length : found + 1;
      yield { bytes: chunk.subarray(at, end), endsLine: found !== -1 };
      at = end;
    }
  }
}

/** Half a character at the end is dropped, not shown as a replacement character. */
function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}
