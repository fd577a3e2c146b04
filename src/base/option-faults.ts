// Owns the description of a wrong option: one fault, with its field and what to do. Leaves out the value seen.
import type { z } from 'zod';
import { insteadOf, nearestName } from './nearest-name.ts';

type Path = readonly PropertyKey[];

export type Fault = {
  readonly path: Path;
  /** True for a field that is none; `path` ends with it. */
  readonly isUnknown: boolean;
  /** What was expected, or what was meant. Quotes no value that was given. */
  readonly why: string;
};

/** Messages for unknown fields, where a message of its own helps more than the nearest name. */
export function withHints(hints: Readonly<Record<string, string>>) {
  const error = (issue: z.core.$ZodRawIssue): string | undefined => {
    const key = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    return key !== undefined && Object.hasOwn(hints, key) ? hints[key] : undefined;
  };
  return { error };
}

/** The first fault of a value, null for none. */
export function firstFault(schema: z.ZodType, value: unknown): Fault | null {
  return allFaults(schema, value)[0] ?? null;
}

/** Every fault of a value. Fields that are none go first: they explain those that are missing. */
export function allFaults(schema: z.ZodType, value: unknown): readonly Fault[] {
  const { error } = schema.safeParse(value, { error: (issue) => messageOf(issue, schema) });
  return error === undefined ? [] : faultsOf(error.issues, []);
}

function faultsOf(issues: readonly z.core.$ZodIssue[], above: Path): readonly Fault[] {
  const isUnknown = ({ code }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys';
  const rest = issues.filter((issue) => !isUnknown(issue));
  return [...issues.filter(isUnknown), ...rest].flatMap((issue) => faultsIn(issue, above));
}

function faultsIn(issue: z.core.$ZodIssue, above: Path): readonly Fault[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const whys = issue.message.split('\n');
    return issue.keys.map((key, at) => {
      return { path: [...path, key], isUnknown: true, why: whys[at] ?? 'leave it out' };
    });
  }
  if (issue.code === 'invalid_key') {
    const why = `its name: ${issue.issues[0]?.message ?? issue.message}`;
    return [{ path, isUnknown: false, why }];
  }
  const isOpen = issue.code === 'invalid_union' && issue.message === alternatives(issue);
  const branch = isOpen ? meantBranch(issue.errors) : undefined;
  return branch === undefined
    ? [{ path, isUnknown: false, why: issue.message }]
    : faultsOf(branch, path);
}

/** The one of several shapes that was meant: the value is of its kind, and wrong within. */
function meantBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  );
}

/** Undefined leaves zod's own text. */
function messageOf(issue: z.core.$ZodRawIssue, root: z.ZodType): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = issue.inst === undefined ? [] : Object.keys(shapeOf(issue.inst) ?? {});
      // A line for each.
      return issue.keys.map((key) => meant(key, known, placesIn(root))).join('\n');
    }
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value': {
      const values = issue.values.map(String);
      if (values.length === 1) return `expected ${JSON.stringify(issue.values[0])}`;
      const near = typeof issue.input === 'string' ? nearestName(issue.input, values) : null;
      const listed = issue.values.map((value) => JSON.stringify(value)).join(', ');
      return `expected one of ${listed}${near === null ? '' : `; did you mean "${near}"?`}`;
    }
    case 'too_small':
      return sized(
        issue.origin,
        `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`,
      );
    case 'too_big':
      return sized(
        issue.origin,
        `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`,
      );
    case 'invalid_union':
      return alternatives(issue);
    default:
      return undefined;
  }
}

function meant(given: string, known: readonly string[], places: readonly string[]): string {
  const own = nearestName(given, known);
  // Many objects have a short name such as `name`: it does not show where it belongs.
  const isExact = (place: string): boolean => place.slice(place.lastIndexOf('.') + 1) === given;
  const elsewhere = given.length > 4 ? places.find(isExact) : undefined;
  if (elsewhere !== undefined) return `it is "${elsewhere}"`;
  if (own !== null) return `did you mean "${own}"?`;
  const far = nearestName(given, places);
  return far === null ? insteadOf(given, known) : `did you mean "${far}"?`;
}

/** The union's own text where it has one; else what each of its shapes expects. */
function alternatives(issue: {
  readonly errors?: z.core.$ZodIssueInvalidUnion['errors'];
}): string | undefined {
  const { errors = [] } = issue;
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
  if (options.length > 0)
    return `expected one of ${options.map((each) => JSON.stringify(each)).join(', ')}`;
  const texts = new Set(errors.map(([first]) => first?.message.replace(/^expected /, '') ?? ''));
  texts.delete('');
  return texts.size === 0 ? undefined : `expected ${[...texts].join(', or ')}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  function: 'a function',
  URL: 'a URL object, such as new URL("./file.js", import.meta.url)',
};

function sized(origin: string, bound: string): string {
  if (origin === 'string') {
    return bound === 'at least 1'
      ? 'expected a text that is not empty'
      : `expected ${bound} characters`;
  }
  if (origin === 'array') {
    return bound === 'at least 1'
      ? 'expected a list that is not empty'
      : `expected ${bound} entries`;
  }
  return `expected ${bound}`;
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The fields of an object's schema, null for any other. */
function shapeOf(schema: unknown): Shape | null {
  // Every schema of zod has a definition, and that of an object its shape.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return def.shape;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return shapeOf(def.innerType);
    default:
      return null;
  }
}

/** Every field of the objects in an object, as a path. */
function placesIn(schema: z.core.$ZodType, above = ''): readonly string[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => [
    `${above}${name}`,
    ...placesIn(field, `${above}${name}.`),
  ]);
}
