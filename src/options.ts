// Owns how options are judged: one zod schema each, and an error that names the field, the value seen and what to do.
import type { z } from 'zod';
import { describe, type FailureCode, TroupeError } from './errors.ts';
import { firstFault } from './option-faults.ts';
import { hideValues, holdsSecrets, isKeyName, maskKeys } from './secret-text.ts';

/** Parses `value` or throws `invalid_options` (or `code`) naming the first field that is wrong and what it was. */
export function parseOptions<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  what: string,
  code: FailureCode = 'invalid_options',
): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fault = firstFault(schema, value);
  if (fault === null) throw new TroupeError(code, `${what} is not valid`);
  const { path, isUnknown, why } = fault;
  const field = maskKeys(path.map(String).join('.'));
  if (isUnknown) {
    throw new TroupeError(code, `${what}: there is no option ${describe(field)}; ${why}`, {
      detail: { field },
    });
  }
  const seen = seenAt(value, path);
  const where = field === '' ? what : `${what}: ${field}`;
  throw new TroupeError(code, `${where} is ${seen}: ${maskKeys(why)}`, { detail: { field, seen } });
}

/** A wrong key is still a key, and so is what was taken for a part of one. */
function seenAt(value: unknown, path: readonly PropertyKey[]): string {
  const seen = valueAt(value, path);
  const isThere = seen !== undefined && seen !== null;
  if (isThere && path.some(isKeyName)) return '[key]';
  return describe(isThere && path.some(holdsSecrets) ? hideValues(seen) : seen);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
