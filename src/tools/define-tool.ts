// Owns the making of a tool: checks its definition and tags it. Runs nothing.
import { describe, reasonOf, TroupeError } from '../base/failures.ts';
import { insteadOf } from '../base/nearest-name.ts';
import { isInputSchema, jsonSchemaOf } from './schema.ts';
import type { AnyTool, InputSchema, NeedsApproval, Tool, ToolContext, ToolOutput } from './tool.ts';

/** What `defineTool` takes. */
export type ToolDefinition<Input> = {
  /** What the model calls it: 1 to 64 of `a-z A-Z 0-9 _ -`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** A schema of an object that can print itself as JSON Schema, such as `z.object({ … })`. */
  readonly input: InputSchema<Input>;
  /** True when running it twice does no harm: it is then run again after a crash. Default false. */
  readonly idempotent?: boolean;
  /**
   * Milliseconds one call may take, what it waits for included. Default: the supervisor's `toolTimeoutMs`, which is
   * paused while the call waits for its children or for a person; none for a tool with the tag `delegation`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * It keeps something in its thread between two calls that the checks of the thread do not see, such as a session of a native
   * library: from its first call on the agent keeps the thread until its run ends, also while it waits. Default false.
   */
  readonly keepsThread?: boolean;
  /**
   * Capabilities it needs, so that `disallowedTools: ['tag:network']` can deny it. `heavy` says that it takes much memory: with
   * `isolation: 'auto'` its agent runs in a process of its own.
   */
  readonly tags?: readonly string[];
  /** Asks a person before it runs, by the supervisor's `approve`: always, or when this returns true. Default false. */
  readonly needsApproval?: boolean | NeedsApproval<Input>;
  /** Runs the tool on an input that the schema let through. What it throws becomes an error result for the model. */
  run(input: Input, tool: ToolContext): ToolOutput | Promise<ToolOutput>;
};

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const maxTimeoutMs = 2_147_483_647;

const fields: readonly string[] = [
  'name',
  'description',
  'input',
  'idempotent',
  'timeoutMs',
  'keepsThread',
  'tags',
  'needsApproval',
  'run',
] satisfies readonly (keyof ToolDefinition<never>)[];

/**
 * Makes a tool: plain frozen data that any copy of Troupe recognises.
 * Throws `invalid_tool`, naming the field and the value seen, also for a field that is none. Prints the schema once, here.
 */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  checkFields(definition);
  const { name, description, input, timeoutMs, tags = [], run } = definition;
  const { needsApproval = false, idempotent = isIdempotent(definition) } = definition;
  const { keepsThread = false } = definition;
  checkName(name);
  check(name, 'description', description, isFilledText(description), 'text that is not empty');
  check(name, 'input', input, isInputSchema(input), 'a Standard Schema such as z.object({ … })');
  check(name, 'idempotent', idempotent, typeof idempotent === 'boolean', 'true or false');
  check(name, 'timeoutMs', timeoutMs, isTimeout(timeoutMs), 'a positive number of milliseconds');
  check(name, 'keepsThread', keepsThread, typeof keepsThread === 'boolean', 'true or false');
  check(name, 'tags', tags, Array.isArray(tags) && tags.every(isFilledText), 'a list of texts');
  const isApproval = typeof needsApproval === 'boolean' || typeof needsApproval === 'function';
  check(name, 'needsApproval', needsApproval, isApproval, 'true, false or a function');
  check(name, 'run', run, typeof run === 'function', 'a function');
  checkPrintable(name, input);
  return Object.freeze({
    kind: 'tool',
    name,
    description,
    input,
    isIdempotent: idempotent,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(keepsThread ? { keepsThread } : {}),
    tags: Object.freeze([...tags]),
    ...(needsApproval === false ? {} : { needsApproval }),
    // Called on the definition, so that a definition written as a class instance keeps its `this`.
    run: (value: Input, tool: ToolContext) => definition.run(value, tool),
  });
}

/** True for what `defineTool` made, in this copy of Troupe or another. */
export function isTool(value: unknown): value is AnyTool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'tool' &&
    'name' in value &&
    typeof value.name === 'string' &&
    'run' in value &&
    typeof value.run === 'function' &&
    'input' in value &&
    isInputSchema(value.input)
  );
}

/** A definition may be an instance of a class, which has fields of its own, or what is changed of a tool. */
function checkFields(definition: unknown): void {
  if (typeof definition !== 'object' || definition === null) {
    const what = `a definition of a tool must be an object, got ${describe(definition)}`;
    throw new TroupeError('invalid_tool', what);
  }
  if (Object.getPrototypeOf(definition) !== Object.prototype) return;
  const isOfTool = 'kind' in definition && definition.kind === 'tool';
  const known = isOfTool ? [...fields, 'kind', 'isIdempotent'] : fields;
  const unknown = Object.keys(definition).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  const name = 'name' in definition ? describe(definition.name) : 'without a name';
  throw new TroupeError(
    'invalid_tool',
    `tool ${name}: there is no field ${describe(unknown)}; ${insteadOf(unknown, fields)}`,
  );
}

function checkName(name: unknown): void {
  if (typeof name === 'string' && namePattern.test(name)) return;
  throw new TroupeError(
    'invalid_tool',
    `name of a tool must be 1 to 64 characters of a-z A-Z 0-9 _ -, got ${describe(name)}`,
  );
}

function check(name: string, field: string, value: unknown, isValid: boolean, wanted: string) {
  if (isValid) return;
  throw new TroupeError(
    'invalid_tool',
    `${field} of tool "${name}" must be ${wanted}, got ${describe(value)}`,
  );
}

function checkPrintable(name: string, input: InputSchema): void {
  try {
    jsonSchemaOf(input);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new TroupeError('invalid_tool', `tool "${name}": ${reason}`, { cause: thrown });
  }
}

function isFilledText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** Of a tool that the definition is a changed copy of. */
function isIdempotent(definition: object): boolean {
  return 'isIdempotent' in definition && definition.isIdempotent === true;
}

function isTimeout(value: number | undefined): boolean {
  if (value === undefined) return true;
  return typeof value === 'number' && value > 0 && value <= maxTimeoutMs;
}
