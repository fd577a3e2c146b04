// Owns what is asked of an input schema: to print itself as JSON Schema, and to judge a value. Knows no schema library.
import { describe, reasonOf, TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import type { JsonSchema } from '../protocol/tool-description.ts';
import type { InputSchema, SchemaIssue, SchemaResult } from './tool.ts';

/** True for a Standard Schema, whatever its library and whichever copy of it. */
export function isInputSchema(value: unknown): value is InputSchema {
  // zod's schemas are objects, those of other libraries may be functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  if (!('~standard' in value)) return false;
  const standard = value['~standard'];
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'validate' in standard &&
    typeof standard.validate === 'function'
  );
}

const printed = new WeakMap<InputSchema, JsonSchema>();

/**
 * The JSON Schema of a tool's input, keywords in one fixed order so that prompts stay byte-identical.
 * Computed once per schema. Throws `invalid_tool` when it cannot be printed or describes no object.
 */
export function jsonSchemaOf(schema: InputSchema): JsonSchema {
  const known = printed.get(schema);
  if (known !== undefined) return known;
  const fresh = print(schema);
  printed.set(schema, fresh);
  return fresh;
}

function print(schema: InputSchema): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard'];
  if (typeof jsonSchema?.input !== 'function') {
    throw new TroupeError(
      'invalid_tool',
      `input cannot be printed as JSON Schema: the ${describe(vendor)} schema has no "~standard".jsonSchema (zod has it from 4.2 on)`,
    );
  }
  const raw = rawSchema(jsonSchema);
  const { $schema: _dialect, ...keywords } = raw;
  if (keywords['type'] !== 'object') {
    throw new TroupeError(
      'invalid_tool',
      `input must describe an object at its top, got ${describe(keywords)}`,
    );
  }
  return inFixedOrder(keywords);
}

function rawSchema(
  printer: NonNullable<InputSchema['~standard']['jsonSchema']>,
): Record<string, unknown> {
  try {
    return printer.input({ target: 'draft-2020-12' });
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new TroupeError('invalid_tool', `input cannot be printed as JSON Schema: ${reason}`, {
      cause: thrown,
    });
  }
}

/** Keywords whose value maps names of the author's choosing to schemas: those names keep the author's order. */
const namesToSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties']);
/** Keywords whose value is data, not a schema. */
const literals: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);

function inFixedOrder(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const sorted = Object.keys(schema).sort();
  return Object.fromEntries(sorted.map((keyword) => [keyword, ordered(keyword, schema[keyword])]));
}

function ordered(keyword: string, value: unknown): unknown {
  if (literals.has(keyword)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => ordered('', item));
  if (!isRecord(value)) return value;
  if (!namesToSchemas.has(keyword)) return inFixedOrder(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, ordered('', schema)]),
  );
}

/** Judges a value. Rejects only when the schema itself throws. */
export async function validate<Input>(
  schema: InputSchema<Input>,
  value: unknown,
): Promise<SchemaResult<Input>> {
  return schema['~standard'].validate(value);
}

const maxIssues = 20;

/** One line per issue, `- path: message`, for a model to correct itself by. */
export function issueText(issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, maxIssues).map((issue) => `- ${pathOf(issue)}: ${issue.message}`);
  if (issues.length > maxIssues) lines.push(`- and ${issues.length - maxIssues} more`);
  return lines.join('\n');
}

function pathOf(issue: SchemaIssue): string {
  const keys = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
  if (keys.length === 0) return '(arguments)';
  return keys.map((key, at) => pathStep(key, at === 0)).join('');
}

function pathStep(key: PropertyKey, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`;
  return isFirst ? String(key) : `.${String(key)}`;
}
