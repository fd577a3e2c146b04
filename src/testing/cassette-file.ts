// Owns the file of a cassette: JSON lines, appended whole, read whole, refused by file and line. Knows no model.
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { TroupeError, toFailure } from '../base/failures.ts';
import {
  type CassetteExchange,
  type CassetteHeader,
  cassetteVersion,
  exchangeSchema,
  headerSchema,
} from './cassette-line.ts';

/**
 * The one writer of a file. It keeps no handle open: each line is in the file when `append` returns, so there is
 * nothing to close, and a crash loses at most the line that was being written.
 */
export class CassetteWriter {
  readonly #file: string;
  #size: number;

  /** Throws `cassette_refused` when the file is there already and is not to be overwritten, or cannot be made. */
  constructor(file: string, header: CassetteHeader, overwrite: boolean) {
    this.#file = file;
    const line = `${JSON.stringify(header)}\n`;
    this.#size = Buffer.byteLength(line);
    attempt(file, () => {
      mkdirSync(dirname(file), { recursive: true });
      if (overwrite) rmSync(file, { force: true });
      writeFileSync(file, line, { flag: 'wx' });
    });
  }

  /** Throws `cassette_refused` when the file is not as this writer left it: it is another's by now, or gone. */
  append(exchange: CassetteExchange): void {
    const line = `${JSON.stringify(exchange)}\n`;
    attempt(this.#file, () => {
      const { size } = statSync(this.#file);
      if (size !== this.#size) {
        throw refused(this.#file, null, `has ${size} bytes where ${this.#size} were written`);
      }
      appendFileSync(this.#file, line);
    });
    this.#size += Buffer.byteLength(line);
  }
}

/** Bytes of a cassette: it is read whole. */
const maxBytes = 268_435_456;

/** An exchange and the line it is on. */
export type CassettePlace = { readonly line: number; readonly exchange: CassetteExchange };

export type Cassette = {
  readonly header: CassetteHeader;
  readonly places: readonly CassettePlace[];
};

/** Reads a cassette whole. Throws `cassette_refused`, naming file and line, for anything that is not one. */
export function readCassette(file: string): Cassette {
  const { size } = attempt(file, () => statSync(file));
  if (size > maxBytes) throw refused(file, null, `has ${size} bytes, more than ${maxBytes}`);
  const text = attempt(file, () => readFileSync(file, 'utf8'));
  const lines = text.split('\n');
  // A whole file ends with a line break, so what follows the last one is nothing.
  const rest = lines.pop();
  if (rest !== '') throw refused(file, lines.length + 1, 'is cut off');
  const [first, ...others] = lines;
  if (first === undefined) throw refused(file, 1, 'is missing: the file is empty');
  const header = readHeader(file, first);
  const places = others.map((text, index) => {
    const line = index + 2;
    const value = checked(exchangeSchema, parse(file, line, text), { file, line });
    // The schema checks what a replay relies on; what it leaves loose is handed on as it was recorded.
    return { line, exchange: value as unknown as CassetteExchange };
  });
  return { header, places };
}

function readHeader(file: string, text: string): CassetteHeader {
  const value = parse(file, 1, text);
  const version = typeof value === 'object' && value !== null && Reflect.get(value, 'cassette');
  if (typeof version === 'number' && version !== cassetteVersion) {
    throw refused(file, 1, `is of version ${version}; this Troupe reads ${cassetteVersion}`);
  }
  // As above: the same shape, with optional fields that are absent.
  return checked(headerSchema, value, { file, line: 1 }) as CassetteHeader;
}

function parse(file: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A parser quotes what it read, and a file that is no cassette may contain anything.
    const kind = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw refused(file, line, kind);
  }
}

function checked<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  { file, line }: { readonly file: string; readonly line: number },
): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') ?? '';
  const what = line === 1 ? 'is no header of a cassette' : 'is no exchange';
  throw refused(file, line, field === '' ? what : `${what}: ${field}: ${issue?.message}`);
}

function attempt<Value>(file: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = isThere
      ? 'is there already; `overwrite: true` records anew'
      : toFailure(error).message;
    throw refused(file, null, why);
  }
}

function refused(file: string, line: number | null, why: string): TroupeError {
  const where = line === null ? file : `${file}: line ${line}`;
  return new TroupeError('cassette_refused', `cassette ${where} ${why}`, {
    detail: line === null ? { file } : { file, line },
  });
}
