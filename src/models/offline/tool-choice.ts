// Owns which registered tools the offline model calls: those a goal asks for, with the arguments it contains. Pure.
import type { ToolSchema } from '../../protocol/model-head.ts';
import { fill } from './arguments.ts';
import { requestOf } from './reading-plan.ts';
import type { RunSoFar } from './run-so-far.ts';
import { asksFor } from './words.ts';

export type ToolChoices = {
  readonly calls: readonly {
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
  }[];
  /** Tools that were asked for and cannot be called, each with the reason. */
  readonly left: readonly string[];
};

/** Tools with rules of their own. */
const ruled = new Set([
  'list',
  'glob',
  'read',
  'grep',
  'edit',
  'apply_patch',
  'write',
  'delegate_task',
]);

/** Each tool once in a run; `reserved` are the tools that take the run's required outputs or its answer. */
export function chooseTools(
  run: RunSoFar,
  tools: readonly ToolSchema[],
  reserved: ReadonlySet<string>,
): ToolChoices {
  const goal = requestOf(run.goal);
  const calls: { name: string; input: Readonly<Record<string, unknown>> }[] = [];
  const left: string[] = [];
  for (const tool of tools) {
    const { name, description, inputSchema } = tool;
    const isOther = ruled.has(name) || reserved.has(name) || !asksFor(goal, tool);
    if (isOther || run.calls.some((call) => call.name === name)) continue;
    const filled = fill(inputSchema, { goal, about: `${name} ${description}` });
    if (filled.type === 'filled') calls.push({ name, input: filled.value });
    else left.push(`${name} was not called: the goal does not say its "${filled.field}".`);
  }
  return { calls, left };
}
