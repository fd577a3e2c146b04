// Owns the small input schemas of the built-in tools: objects of texts, whole numbers, flags, and lists of such objects.
// They exist because zod would double the memory of every agent thread; tools of users take zod or any Standard Schema.
import { describe } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import type { JsonSchema } from '../../protocol/tool-description.ts';
import type { InputSchema, SchemaIssue, SchemaResult } from '../tool.ts';

/** One property: how it prints, and what is wrong with a value. The value's type is carried by `T` alone. */
export type Field<T> = {
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
  /** The complaint about a value, or null when it is a `T`. */
  complain(value: unknown): string | null;
  readonly type?: T;
};

type Fields = Readonly<Record<string, Field<unknown>>>;
type TypeOf<F> = F extends Field<infer T> ? T : never;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: undefined extends TypeOf<F[K]> ? K : never;
}[keyof F];

/** What a schema of these fields lets through. */
export type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: TypeOf<F[K]> };

/** A text, of `maxChars` characters at most. */
export function text(description: string, maxChars?: number): Field<string> {
  const limit = maxChars === undefined ? {} : { maxLength: maxChars };
  const wanted = maxChars === undefined ? 'text' : `text of at most ${maxChars} characters`;
  return {
    schema: { type: 'string', ...limit, description },
    isOptional: false,
    complain: (value) =>
      typeof value === 'string' && value.length <= (maxChars ?? Infinity)
        ? null
        : `expected ${wanted}`,
  };
}

/** One of these texts. */
export function oneOf<const T extends string>(description: string, texts: readonly T[]): Field<T> {
  return {
    schema: { type: 'string', enum: [...texts], description },
    isOptional: false,
    complain: (value) =>
      texts.some((each) => each === value) ? null : `expected one of ${texts.join(', ')}`,
  };
}

/** A whole number from `min` to `max`. */
export function whole(description: string, min: number, max: number): Field<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max, description },
    isOptional: false,
    complain: (value) =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max
        ? null
        : `expected a whole number from ${min} to ${max}`,
  };
}

/** True or false. */
export function flag(description: string): Field<boolean> {
  return {
    schema: { type: 'boolean', description },
    isOptional: false,
    complain: (value) => (typeof value === 'boolean' ? null : 'expected true or false'),
  };
}

/** A list of `min` to `max` closed objects of these fields. */
export function listOf<F extends Fields>(
  description: string,
  fields: F,
  max: number,
  min = 1,
): Field<readonly ObjectOf<F>[]> {
  return {
    schema: { type: 'array', items: print(fields), minItems: min, maxItems: max, description },
    isOptional: false,
    complain: (value) => {
      if (!Array.isArray(value) || value.length < min || value.length > max) {
        return `expected a list of ${min} to ${max}`;
      }
      for (const [index, item] of value.entries()) {
        const issue = judge(fields, item).issues?.[0];
        if (issue === undefined) continue;
        return `[${[index, ...(issue.path ?? [])].join('.')}]: ${issue.message}`;
      }
      return null;
    },
  };
}

/** A property that may be left out; null counts as left out, models write it so. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    schema: field.schema,
    isOptional: true,
    complain: (value) => (value === undefined || value === null ? null : field.complain(value)),
  };
}

/** A closed object of these fields, as a Standard Schema that prints itself. */
export function objectSchema<F extends Fields>(fields: F): InputSchema<ObjectOf<F>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => judge(fields, value),
      jsonSchema: { input: () => print(fields) },
    },
  };
}

function judge<F extends Fields>(fields: F, value: unknown): SchemaResult<ObjectOf<F>> {
  if (!isRecord(value)) return { issues: [{ message: `expected an object${got(value)}` }] };
  const issues: SchemaIssue[] = [];
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    issues.push({ path: [name], message: `unknown; known are ${Object.keys(fields).join(', ')}` });
  }
  for (const [name, field] of Object.entries(fields)) {
    const complaint = field.complain(value[name]);
    if (complaint !== null)
      issues.push({ path: [name], message: `${complaint}${got(value[name])}` });
  }
  if (issues.length > 0) return { issues };
  const given = Object.entries(value).filter(([, item]) => item !== null);
  // Every field was judged and nothing else is there: this is what the fields describe.
  return { value: Object.fromEntries(given) as ObjectOf<F> };
}

function got(value: unknown): string {
  return value === undefined ? ', got nothing' : `, got ${describe(value)}`;
}

function print(fields: Fields): Record<string, unknown> {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, field.schema])),
    required: entries.filter(([, field]) => !field.isOptional).map(([name]) => name),
    additionalProperties: false,
  };
}
