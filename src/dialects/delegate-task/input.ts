// Owns the arguments of `delegate_task`: the schema a model is shown, and the reading of what models really send.
import { z } from 'zod';
import { describe } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { decoded } from '../../base/json-text.ts';
import type { InputSchema, SchemaIssue } from '../../tools/tool.ts';

/** One task of a call; its own fields take precedence over those of the call. */
export type DelegatedTask = {
  readonly goal: string;
  readonly context: string | undefined;
  /** Undefined when none were named; an empty list is none at all. */
  readonly toolsets: readonly string[] | undefined;
  readonly maxIterations: number | undefined;
  readonly role: string | undefined;
};

const fields = {
  goal: z.string().optional().describe('What the subagent is to achieve, for a single task.'),
  context: z
    .string()
    .optional()
    .describe('Everything it has to know: paths, errors, constraints. It sees nothing else.'),
  toolsets: z
    .array(z.string())
    .optional()
    .describe("Groups of tools, such as ['file', 'web']. Default: all it may have."),
  max_iterations: z.number().int().optional().describe('Tool-calling rounds it may take.'),
  role: z
    .enum(['leaf', 'orchestrator'])
    .optional()
    .describe('An orchestrator may delegate further, where the depth allows it. Default: leaf.'),
};

const shown = z.object({
  ...fields,
  result: z
    .string()
    .optional()
    .describe('Instead of a goal: the kept result to read on in, as a cut summary names it.'),
  offset: z.number().int().optional().describe('With result: its first character to show.'),
  tasks: z
    .array(z.object({ ...fields, goal: z.string() }))
    .optional()
    .describe('Several tasks at once, run in parallel. What a task says wins over the call.'),
});

/** Reads one call. Models send null for absent, and lists as JSON text: that is understood, all else is refused by name. */
export const delegateInput: InputSchema<readonly DelegatedTask[]> = {
  '~standard': {
    version: 1,
    vendor: 'troupe',
    validate: (value) => {
      const issues: SchemaIssue[] = [];
      const tasks = readCall(isRecord(value) ? value : {}, issues);
      return issues.length > 0 ? { issues } : { value: tasks };
    },
    jsonSchema: { input: () => z.toJSONSchema(shown, { io: 'input' }) },
  },
};

function readCall(
  call: Readonly<Record<string, unknown>>,
  issues: SchemaIssue[],
): readonly DelegatedTask[] {
  const tasks = listOf(call['tasks'], ['tasks'], issues);
  if (tasks === undefined || (tasks.length === 0 && isText(call['goal']))) {
    return [readTask(call, {}, [], issues)];
  }
  if (tasks.length === 0) issues.push({ path: ['tasks'], message: 'expected at least one task' });
  return tasks.map((each, index) => {
    const task = decoded(each);
    if (isRecord(task)) return readTask(task, call, ['tasks', index], issues);
    issues.push({ path: ['tasks', index], message: `expected an object, got ${describe(task)}` });
    return readTask({ goal: '-' }, {}, [], issues);
  });
}

function readTask(
  own: Readonly<Record<string, unknown>>,
  call: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
  issues: SchemaIssue[],
): DelegatedTask {
  const pick = (name: string): unknown => own[name] ?? call[name] ?? undefined;
  const complain = (name: string, message: string): void => {
    issues.push({ path: [...path, name], message });
  };
  const goal = pick('goal');
  if (!isText(goal)) complain('goal', `expected a text that is not blank, got ${describe(goal)}`);
  const context = pick('context');
  if (context !== undefined && typeof context !== 'string') {
    complain('context', `expected a text, got ${describe(context)}`);
  }
  const maxIterations = pick('max_iterations');
  if (maxIterations !== undefined && !isWhole(maxIterations)) {
    complain('max_iterations', `expected a whole number above 0, got ${describe(maxIterations)}`);
  }
  const role = pick('role');
  const toolsets = listOf(pick('toolsets'), [...path, 'toolsets'], issues);
  for (const [at, name] of (toolsets ?? []).entries()) {
    if (isText(name)) continue;
    issues.push({
      path: [...path, 'toolsets', at],
      message: `expected a name, got ${describe(name)}`,
    });
  }
  return {
    goal: isText(goal) ? goal : '',
    context: typeof context === 'string' ? context : undefined,
    toolsets: toolsets?.filter(isText),
    maxIterations: isWhole(maxIterations) ? maxIterations : undefined,
    role: role === undefined ? undefined : roleText(role),
  };
}

/** As models write it, in any case; what is no text is an unknown role like any other (C25), a blank one is none. */
function roleText(role: unknown): string | undefined {
  return String(role).trim().toLowerCase() || undefined;
}

/** A list, also one that came as JSON text; undefined when there is none. */
function listOf(
  value: unknown,
  path: readonly PropertyKey[],
  issues: SchemaIssue[],
): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  const parsed = decoded(value);
  if (Array.isArray(parsed)) return parsed;
  issues.push({ path, message: `expected a list, got ${describe(value)}` });
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}
