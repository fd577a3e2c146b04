// Owns how options are judged: one zod schema each, and an error that names the field and the value seen.
import type { z } from 'zod';
import { describe, type FailureCode, TroupeError } from './errors.ts';
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
  const [issue] = result.error.issues;
  if (issue === undefined) throw new TroupeError(code, `${what} is not valid`);
  if (issue.code === 'unrecognized_keys') {
    const field = maskKeys([...issue.path, issue.keys[0]].join('.'));
    throw new TroupeError(code, `${what}: there is no option ${describe(field)}`, {
      detail: { field },
    });
  }
  const field = maskKeys(issue.path.join('.'));
  const seen = seenAt(value, issue.path);
  const where = field === '' ? what : `${what}: ${field}`;
  throw new TroupeError(code, `${where} is ${seen}: ${maskKeys(issue.message)}`, {
    detail: { field, seen },
  });
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
