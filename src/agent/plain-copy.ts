// Owns copies of what a caller hands over: taken when it is accepted, so that what it changes later is not sent.
import { measure } from '../actor/plain.ts';
import { type FailureCode, TroupeError, toFailure } from '../errors.ts';

/** Where a value stands, for the error that refuses it. */
export type CopiedFrom = {
  readonly what: string;
  readonly field: string;
  readonly code: FailureCode;
};

/** A copy of plain data (M6). Throws `code` naming the field and what was seen there: a function, a symbol, an instance. */
export function plainCopy<Value>(value: Value, { what, field, code }: CopiedFrom): Value {
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'function' && typeof value !== 'symbol') return value;
  }
  try {
    measure(value);
    return structuredClone(value);
  } catch (error) {
    const { message, detail } = toFailure(error);
    const path = typeof detail?.['path'] === 'string' ? detail['path'] : '';
    const seen = typeof detail?.['what'] === 'string' ? detail['what'] : message;
    const at = `${field}${path}`;
    throw new TroupeError(code, `${what}: ${at} is ${seen}: expected plain data`, {
      detail: { field: at, seen },
    });
  }
}

/** Fields whose values are data, and nothing but data. */
const dataFields = [
  'initialMessages',
  'loop',
  'promptParts',
  'memory',
  'outputs',
  'history',
  'metadata',
];

/**
 * What is said of a run as it is now: data is copied, lists and endpoints too; tools, hooks, schemas and models stay the
 * objects they are. Throws `code` for data that is not plain.
 */
export function copySettings<Settings extends object>(
  settings: Settings,
  { what, code }: Omit<CopiedFrom, 'field'>,
): Settings {
  const copy: Record<string, unknown> = Object.fromEntries(Object.entries(settings));
  for (const [name, value] of Object.entries(copy)) {
    if (dataFields.includes(name)) copy[name] = plainCopy(value, { what, field: name, code });
    else if (Array.isArray(value)) copy[name] = [...value];
    else if (name === 'model' && isPlainObject(value)) copy[name] = { ...value };
  }
  // Each field has the value it had, or a copy of it.
  return copy as Settings;
}

/** An endpoint; models are objects with methods of their own, and keep their identity. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !('respond' in value || 'specificationVersion' in value);
}
