// Owns reading the files that define agents and skills: sorted, bounded, no link followed; and reporting problems.
import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { toFailure } from '../../base/failures.ts';

/** Something about a file of definitions that its author should know. */
export type FileDiagnostic = {
  /** The file or folder, as found below the folder that was given. */
  readonly file: string;
  /** `error`: it was not loaded. `warn`: it was loaded, except for what the message names. */
  readonly level: 'warn' | 'error';
  /** The field of the file that it is about; absent when it is about the file. */
  readonly field?: string;
  /** What is wrong. */
  readonly message: string;
};

/** What loading has found out so far. */
export class Diagnostics {
  readonly #all: FileDiagnostic[] = [];

  get all(): readonly FileDiagnostic[] {
    return this.#all;
  }

  about(file: string): Report {
    const add = (level: FileDiagnostic['level'], message: string, field?: string): void => {
      this.#all.push(
        field === undefined ? { file, level, message } : { file, level, field, message },
      );
    };
    return {
      warn: (message, field) => add('warn', message, field),
      error: (message, field) => add('error', message, field),
    };
  }
}

/** Reports problems of one file. */
export type Report = {
  warn(message: string, field?: string): void;
  error(message: string, field?: string): void;
};

const maxBytes = 1_048_576;

/** The entries of a folder, sorted by code unit; null, with an error reported, when it cannot be read. */
export async function entriesOf(folder: string, report: Report): Promise<readonly Dirent[] | null> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (thrown) {
    report.error(`the folder cannot be read: ${toFailure(thrown).message}`);
    return null;
  }
}

/** The text of a regular file; null and an error for a link, a pipe, more than 1 MiB, or what is not UTF-8. */
export async function textOf(file: string, report: Report): Promise<string | null> {
  try {
    // Non-blocking: opening a pipe of that name would otherwise block for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(file, flags);
    try {
      const stats = await handle.stat();
      const refusal = refusedFile(stats.isFile(), stats.size);
      if (refusal !== null) {
        report.error(refusal);
        return null;
      }
      const bytes = Buffer.alloc(stats.size);
      const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    report.error(`the file cannot be read: ${toFailure(thrown).message}`);
    return null;
  }
}

function refusedFile(isFile: boolean, size: number): string | null {
  if (!isFile) return 'this is no regular file';
  return size > maxBytes ? `the file has ${size} bytes, more than ${maxBytes}` : null;
}

/** Reports a link that is not followed: it may lead out of the folder whose definitions are trusted. */
export function passOverLink(report: Report): void {
  report.warn('this is a symbolic link, and links are not followed; put the file itself here');
}

/** The text of a required field, or null with an error reported. */
export function requiredText(
  fields: ReadonlyMap<string, unknown>,
  field: string,
  report: Report,
): string | null {
  const value = fields.get(field);
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  const isMissing = value === undefined || value === null || value === '';
  const seen = Array.isArray(value) ? 'a list' : typeof value;
  report.error(
    isMissing
      ? `${field} is missing, and the file is left out`
      : `${field} must be a text, not ${seen}; the file is left out`,
    field,
  );
  return null;
}
