// Owns a task as the journal has it: plain data. What a program gave as an object is looked up by its name, or is missing. Pure.
import { z } from 'zod';
import { isRecord } from '../../base/is-record.ts';
import { omitUndefined } from '../../base/omit-undefined.ts';
import type { WorkerProfile } from '../../protocol/worker-profile.ts';
import { isInputSchema, jsonSchemaOf } from '../../tools/schema.ts';
import type { Task } from '../task.ts';

/** What a task is below: how far down its tree, and with which rights; none for a task of the program. */
export type Below = { readonly depth: number; readonly profile: WorkerProfile | undefined };

/** A task that was read, and which of its settings are not in the journal: functions, models and schemas of the program. */
export type ReadTask = {
  readonly task: Task;
  readonly index: number;
  readonly width: number;
  /** Where nothing else that is kept says so. */
  readonly was: Below;
  readonly missing: readonly string[];
};

type Stored = {
  readonly task: Readonly<Record<string, unknown>>;
  readonly index: number;
  readonly width: number;
  readonly depth?: number;
  /** Of the agent that asked for it. */
  readonly profile?: WorkerProfile;
  readonly missing?: readonly string[];
};

/** A module, where the value of a setting has it. */
type StoredModule = { readonly module: string };

export function storedTask(
  task: Task,
  { index, width, was }: Pick<ReadTask, 'index' | 'width' | 'was'>,
): { readonly text: string; readonly missing: readonly string[] } {
  const fields: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const [name, value] of Object.entries(task)) {
    const stored = storedField(name, value);
    if (stored === undefined && value !== undefined) missing.push(name);
    else fields[name] = stored;
  }
  const { depth, profile } = was;
  const below = { ...(depth === 0 ? {} : { depth }), ...omitUndefined({ profile }) };
  const stored: Stored = { task: fields, index, width, ...below };
  return { text: jsonOf(missing.length === 0 ? stored : { ...stored, missing }), missing };
}

/** What is read was written by `storedTask`, and its sum is right. */
export function readTask(text: string): ReadTask {
  const { task, index, width, depth = 0, profile, missing = [] } = JSON.parse(text) as Stored;
  const { tools, hooks, outputSchema, ...rest } = task;
  const fields = {
    ...rest,
    ...(Array.isArray(tools) ? { tools: tools.map(read) } : {}),
    ...(outputSchema === undefined ? {} : { outputSchema: readSchema(outputSchema) }),
    ...(hooks === undefined ? {} : { hooks: Array.isArray(hooks) ? hooks.map(read) : read(hooks) }),
  };
  // Its fields are those of a task that was accepted.
  return { task: fields as unknown as Task, index, width, was: { depth, profile }, missing };
}

/** Undefined for what only its program has. */
function storedField(name: string, value: unknown): unknown {
  switch (name) {
    case 'agent':
      return isRecord(value) ? value['name'] : value;
    case 'tools':
      return Array.isArray(value) ? value.map(nameOrModule) : value;
    case 'model':
      return storedModel(value);
    case 'hooks':
      return storedHooks(value);
    case 'outputSchema':
      // Its task was accepted: it can be shown to a model.
      return isInputSchema(value) ? { jsonSchema: jsonSchemaOf(value) } : value;
    default:
      return value;
  }
}

function nameOrModule(tool: unknown): unknown {
  return moduleOf(tool) ?? (isRecord(tool) ? tool['name'] : tool);
}

/** A key is not written down: the one of the provider, or of the pools, is used. */
function storedModel(model: unknown): unknown {
  if (Array.isArray(model)) {
    const stored = model.map(storedModel);
    return stored.includes(undefined) ? undefined : stored;
  }
  if (!isRecord(model)) return model;
  if ('respond' in model || 'specificationVersion' in model) return undefined;
  const { apiKey: _, ...endpoint } = model;
  return endpoint;
}

function storedHooks(hooks: unknown): unknown {
  if (!Array.isArray(hooks)) return moduleOf(hooks);
  const stored = hooks.map(moduleOf);
  return stored.includes(undefined) ? undefined : stored;
}

function moduleOf(value: unknown): StoredModule | undefined {
  return value instanceof URL ? { module: value.href } : undefined;
}

function read(value: unknown): unknown {
  return isRecord(value) && typeof value['module'] === 'string' ? new URL(value['module']) : value;
}

/** Judges as the schema did, and changes nothing of an answer. */
function readSchema(stored: unknown): unknown {
  if (!isRecord(stored)) return stored;
  return z.fromJSONSchema(stored['jsonSchema'] as Parameters<typeof z.fromJSONSchema>[0]);
}

/** JSON of an answer or a task: big integers are written as texts, and so is what leads back to itself. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // What plain JSON cannot have is rare, and asking about each value takes several times as long.
    return jsonByHand(value);
  }
}

function jsonByHand(value: unknown): string {
  // What is above the value in hand, the outermost first.
  const above: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _key, each: unknown) {
    if (typeof each === 'bigint') return String(each);
    if (typeof each !== 'object' || each === null) return each;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(each)) return '[circular]';
    above.push(each);
    return each;
  });
}
