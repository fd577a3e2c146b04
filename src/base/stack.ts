// Owns where a mistake in code of the program was made: the stack of what was thrown with those of its causes, and its place.
import { fileURLToPath } from 'node:url';
import { type Failure, type FailureCode, failure, TroupeError, toFailure } from './failures.ts';
import { maskShapes } from './secret-text.ts';

const maxStack = 4_000;
const maxCauses = 5;

/** The stack of an error with those of its causes, without keys and bounded; null for what has none. Never throws. */
function stackOf(thrown: unknown): string | null {
  try {
    const stacks: string[] = [];
    let next = thrown;
    while (next instanceof Error && typeof next.stack === 'string' && stacks.length <= maxCauses) {
      stacks.push(next.stack.slice(0, maxStack));
      next = next.cause;
    }
    return stacks.length === 0 ? null : maskShapes(stacks.join('\nCaused by: '));
  } catch {
    // A getter that throws: its stack cannot be read.
    return null;
  }
}

/** The failure of what code of the program threw, with its stack in `detail`; errors of ours carry none. */
export function toFault(thrown: unknown, fallback: FailureCode): Failure {
  const { code, message, retryable, detail } = toFailure(thrown, fallback);
  const stack = isOwnError(thrown) ? null : stackOf(thrown);
  if (stack !== null) return failure(code, message, { retryable, detail: { ...detail, stack } });
  return failure(code, message, detail === undefined ? { retryable } : { retryable, detail });
}

function isOwnError(thrown: unknown): boolean {
  try {
    return thrown instanceof TroupeError;
  } catch {
    // A revoked proxy has no prototype to be asked for.
    return false;
  }
}

/** The stack that a failure carries; null for none. */
export function stackIn({ detail }: Failure): string | null {
  const stack = detail?.['stack'];
  return typeof stack === 'string' ? stack : null;
}

/** The message of a failure, with the place in the program that it came from, where that is known. */
export function messageAt(failure: Failure): string {
  const stack = stackIn(failure);
  const place = stack === null ? null : placeIn(stack);
  const { message } = failure;
  return place === null || message.includes(place) ? message : `${message} (at ${place})`;
}

/** A line of a stack: `at name (place)`, `at place`, or the bare place above a syntax error. */
const frames = [
  /\(((?:file:\/\/)?\/[^()]+?):(\d+)(?::(\d+))?\)$/,
  /(?:^|\bat (?:async )?)((?:file:\/\/)?\/[^()]+?):(\d+)(?::(\d+))?$/,
];
/** The folder of this package; undefined within a program that is bundled into one file. */
const ownFolder = /^(.*\/dist\/)(?:src\/base\/stack|lib\/[\w-]+|workers\/[\w-]+)\.js$/.exec(
  import.meta.url,
)?.[1];

/** The first place of a stack in code of the program, as `/file:line:column`; null when it names none. */
export function placeIn(stack: string): string | null {
  const [own] = stack.split('\nCaused by: ', 1);
  let inPackage: string | null = null;
  for (const line of (own ?? stack).split('\n')) {
    const found = frames.map((frame) => frame.exec(line)).find((match) => match !== null);
    const [, file, at, column] = found ?? [];
    if (file === undefined || isOurs(file)) continue;
    const place = [pathOf(file), at, ...(column === undefined ? [] : [column])].join(':');
    if (!file.includes('/node_modules/')) return place;
    inPackage ??= place;
  }
  return inPackage;
}

function isOurs(file: string): boolean {
  const url = file.startsWith('/') ? `file://${file}` : file;
  return ownFolder !== undefined && url.startsWith(ownFolder);
}

function pathOf(file: string): string {
  if (file.startsWith('/')) return file;
  try {
    return fileURLToPath(file.replace(/\?.*$/, ''));
  } catch {
    // Another machine's name in it, or the like: shown as it is.
    return file;
  }
}
