// Owns how options are judged: one zod schema each, and an error that names the field, the value seen and what to do.
import type { z } from 'zod';
import { describe, type FailureCode, TroupeError } from './failures.ts';
import { allFaults, type Fault } from './option-faults.ts';
import { hideValues, isKeyName, maskKeys, namesSecret } from './secret-text.ts';

/** Parses `value` or throws `invalid_options` (or `code`) naming the first field that is wrong and what it was. */
export function parseOptions<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  what: string,
  code: FailureCode = 'invalid_options',
): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [fault] = allFaults(schema, value);
  if (fault === undefined) throw new TroupeError(code, `${what} is not valid`);
  const { message, detail } = faultText(fault, value, what);
  throw new TroupeError(code, message, { detail });
}

/** The message of `parseOptions` for each field that is wrong; empty for a valid value. */
export function optionFaults(schema: z.ZodType, value: unknown, what: string): readonly string[] {
  return allFaults(schema, value).map((fault) => faultText(fault, value, what).message);
}

function faultText(
  { path, isUnknown, why }: Fault,
  value: unknown,
  what: string,
): { readonly message: string; readonly detail: Readonly<Record<string, string>> } {
  const field = maskKeys(path.map(String).join('.'));
  if (isUnknown) {
    return {
      message: `${what}: there is no option ${describe(field)}; ${why}`,
      detail: { field },
    };
  }
  const seen = seenAt(value, path);
  const where = field === '' ? what : `${what}: ${field}`;
  return { message: `${where} is ${seen}: ${maskKeys(why)}`, detail: { field, seen } };
}

/** A wrong key is still a key, and so is what was taken for a part of one. */
function seenAt(value: unknown, path: readonly PropertyKey[]): string {
  const seen = valueAt(value, path);
  const isThere = seen !== undefined && seen !== null;
  if (isThere && path.some(isKeyName)) return '[key]';
  return describe(isThere && path.some(namesSecret) ? hideValues(seen) : seen);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
