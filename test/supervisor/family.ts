// Shared arrangements of the tests of delegation below agents: a host tool that delegates, and trees of agents. Starts no test.
import { z } from 'zod';
import { type AgentDefinition, defineTool, type Subtask } from '#src/index.js';
import type { Script, ScriptStep } from '#src/testing.js';
import type { AnyTool, ToolContext } from '#src/tools/tool.js';
import { gate } from './support.ts';

/** Delegates to agents by name, as many tasks as names, and answers with their outcomes in a word each. */
export const delegate = defineTool({
  name: 'delegate',
  description: 'Hands tasks to other agents.',
  input: z.object({ agents: z.array(z.string()) }),
  async run({ agents }, tool) {
    const tasks = agents.map((agent, at): Subtask => ({ goal: `Do part ${at}.`, agent }));
    const outcomes = await tool.delegate(tasks);
    return outcomes.map(({ error, text }) => error?.code ?? text).join(', ');
  },
});

/** A step that delegates to these agents. */
export function handsTo(...agents: readonly string[]): ScriptStep {
  return { text: 'handing over', toolCalls: [{ name: 'delegate', input: { agents } }] };
}

/** Definitions of these names. */
export function named(...names: readonly string[]): readonly AgentDefinition[] {
  return names.map((name) => ({ name }));
}

/** Agents `level0` to `level<depth>`, each delegating to `width` of the next. */
export function tree(
  depth: number,
  width: number,
): { script: Script; agents: readonly AgentDefinition[] } {
  const names = Array.from({ length: depth + 1 }, (_, level) => `level${level}`);
  const lists = names.map((name, level) => {
    const below = names[level + 1];
    const last = { text: `${name} done` };
    return [name, below === undefined ? [last] : [handsTo(...Array(width).fill(below)), last]];
  });
  return { script: { agents: Object.fromEntries(lists) }, agents: named(...names) };
}

/** The same tools, and a promise that resolves when the tool of this name is called. */
export function untilCalled<Tool extends AnyTool>(
  given: readonly Tool[],
  name: string,
): { readonly tools: readonly Tool[]; readonly called: Promise<void> } {
  const { opened: called, open } = gate();
  const tools = given.map((tool) => ({
    ...tool,
    run: (input: never, context: ToolContext) => {
      if (tool.name === name) open();
      return tool.run(input, context);
    },
  }));
  return { tools, called };
}
