// Owns the plain copy of what a failure carries beside its message. The caller passes in how values are described.

type TextRules = {
  withoutKeys(name: string, value: unknown): unknown;
  maskShapes(text: string): string;
  describe(value: unknown): string;
  reasonOf(thrown: Error): string;
};

const deepest = 12;
const maxEntries = 1_000;

/**
 * A copy that crosses threads and fits into JSON: what is no data is described, what contains a key is left out, what
 * is endless is cut. Throws what a getter of it throws.
 */
export function plainDetail(detail: object, rules: TextRules): Readonly<Record<string, unknown>> {
  const { withoutKeys, maskShapes, describe, reasonOf } = rules;
  let left = maxEntries;
  const fieldsOf = (value: object, depth: number): Readonly<Record<string, unknown>> => {
    const entries: [string, unknown][] = [];
    for (const key of Object.keys(value)) {
      left -= 1;
      if (left < 0) break;
      // A record is read by its own keys; what a getter answers is copied like any value.
      const field = (value as Readonly<Record<string, unknown>>)[key];
      entries.push([key, withoutKeys(key, copy(field, depth + 1))]);
    }
    return Object.fromEntries(entries);
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return maskShapes(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'function' || typeof value === 'symbol') return describe(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return describe(value);
    if (value instanceof Date) return String(value);
    if (value instanceof Error) return { message: reasonOf(value), ...fieldsOf(value, depth) };
    if (!Array.isArray(value)) return isRecord(value) ? fieldsOf(value, depth) : describe(value);
    const kept = value.slice(0, Math.max(0, left));
    left -= kept.length;
    return kept.map((each) => copy(each, depth + 1));
  };
  return fieldsOf(detail, 0);
}

/** An instance of a class is a thing of its own, a socket or a response: only its description is data. */
function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
