// Owns tools of which some arguments are fixed: no model is shown them, and none can give them. Runs no tool.
import { copyData } from '../base/copy-data.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { insteadOf } from '../base/nearest-name.ts';
import { isTool } from './define-tool.ts';
import { issueText, jsonSchemaOf } from './schema.ts';
import type { AnyTool, InputSchema, SchemaIssue, SchemaResult } from './tool.ts';

/**
 * The same tool with arguments fixed to these values, which its code receives with each call as if the model had given them:
 * `withPreset(search, { folder: '/docs' })`. The schema that models are shown lacks them, and a call that gives one is
 * refused. Nor is a person who approves of a call shown them; arguments that the person changes cannot give them either. In
 * a tool module, export what this returns. Throws `invalid_tool`, naming the argument and the value seen, for one that the
 * tool's schema does not have, and for a value that it refuses; a schema that judges asynchronously refuses its values with
 * each call.
 */
export function withPreset(tool: AnyTool, preset: Readonly<Record<string, unknown>>): AnyTool {
  if (!isTool(tool)) {
    throw new TroupeError('invalid_tool', `withPreset takes a tool, got ${describe(tool)}`);
  }
  if (!isRecord(preset)) throw fault(tool, `a preset must be an object, got ${describe(preset)}`);
  const fixed = copyData(preset);
  checkNames(tool, Object.keys(fixed));
  checkValues(tool, fixed);
  return Object.freeze({ ...tool, input: withoutFixed(tool.input, fixed) });
}

function checkNames(tool: AnyTool, names: readonly string[]): void {
  const { properties } = jsonSchemaOf(tool.input);
  const known = isRecord(properties) ? Object.keys(properties) : [];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw fault(tool, `there is no argument ${describe(unknown)}; ${insteadOf(unknown, known)}`);
}

/** Other arguments are missing here: what the schema says of those is no fault. */
function checkValues(tool: AnyTool, fixed: Readonly<Record<string, unknown>>): void {
  const judged = tool.input['~standard'].validate(copyData(fixed));
  if (judged instanceof Promise) {
    // Its calls are judged by the same schema, and report what it says.
    judged.catch(() => {});
    return;
  }
  const issues = (judged.issues ?? []).filter((issue) => Object.hasOwn(fixed, nameIn(issue)));
  const [first] = issues;
  if (first === undefined) return;
  throw fault(tool, `${issueText(issues)}, got ${describe(fixed[nameIn(first)])}`);
}

/** The argument that an issue is about; empty for one about all of them. */
function nameIn({ path = [] }: SchemaIssue): string {
  const [step] = path;
  return String(typeof step === 'object' ? step.key : (step ?? ''));
}

function withoutFixed(input: InputSchema, fixed: Readonly<Record<string, unknown>>): InputSchema {
  const { properties, required, ...rest } = jsonSchemaOf(input);
  const isShown = (name: unknown): boolean => !Object.hasOwn(fixed, String(name));
  const shown = {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(isRecord(properties) ? properties : {}).filter(([name]) => isShown(name)),
    ),
    ...(Array.isArray(required) ? { required: required.filter(isShown) } : {}),
  };
  const standard = input['~standard'];
  return {
    '~standard': {
      version: 1,
      vendor: standard.vendor,
      validate: (value) =>
        refuseFixed(value, fixed) ?? standard.validate({ ...Object(value), ...copyData(fixed) }),
      jsonSchema: { input: () => shown },
    },
  };
}

function refuseFixed(
  value: unknown,
  fixed: Readonly<Record<string, unknown>>,
): SchemaResult<never> | null {
  if (!isRecord(value)) return { issues: [{ message: 'expected an object' }] };
  const given = Object.keys(value).filter((name) => Object.hasOwn(fixed, name));
  if (given.length === 0) return null;
  return { issues: given.map((name) => ({ path: [name], message: 'is fixed; leave it out' })) };
}

function fault({ name }: AnyTool, why: string): TroupeError {
  return new TroupeError('invalid_tool', `withPreset of tool "${name}": ${why}`);
}
