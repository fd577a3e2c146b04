// Owns copies of what a caller hands over: taken when it is accepted, so that what it changes later is not sent.
import { measureGiven } from '../actor/serializable.ts';
import { copyData } from '../base/copy-data.ts';
import { type FailureCode, TroupeError, toFailure } from '../base/failures.ts';

/** Where a value was given, for the error that refuses it. */
export type CopiedFrom = {
  readonly what: string;
  readonly field: string;
  readonly code: FailureCode;
};

/**
 * A copy of plain data (M6). Throws `code` naming the field and what was seen there: a function, a symbol, a property named
 * by one, an instance.
 */
export function plainCopy<Value>(value: Value, { what, field, code }: CopiedFrom): Value {
  try {
    measureGiven(value);
    return copyData(value);
  } catch (error) {
    const { message, detail } = toFailure(error);
    const path = typeof detail?.['path'] === 'string' ? detail['path'] : '';
    const seen = typeof detail?.['what'] === 'string' ? detail['what'] : message;
    throw refused({ what, field: `${field}${shortPath(path)}`, code }, seen);
  }
}

const maxPath = 60;

/** The way into what is without end is as long as it is followed. */
function shortPath(path: string): string {
  return path.length <= maxPath ? path : `${path.slice(0, maxPath)}…`;
}

/** What a caller hands over is no data. */
export function refused({ what, field, code }: CopiedFrom, seen: string): TroupeError {
  const text = `${what}: ${field} is ${seen}: expected plain data`;
  return new TroupeError(code, text, { detail: { field, seen } });
}
