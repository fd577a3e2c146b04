// Owns what a plan's tools are inside a thread: loaded once per seat, lent to one life after another.
import type { AnyTool } from '../tools/tool.ts';
import { collectTools } from '../tools/tool-module.ts';
import type { SharedPlan } from './notes.ts';

/** The thread tools by name. */
export type AgentKit = ReadonlyMap<string, AnyTool>;

type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

const noTools: AgentKit = new Map();

/** The kit of a plan, at once when there is nothing to load. */
export function makeKit(
  plan: SharedPlan,
  importModule: ImportModule,
): AgentKit | Promise<AgentKit> {
  const needsNone = plan.toolsets.length === 0 && plan.toolModules.length === 0;
  return needsNone ? noTools : loadTools(plan, importModule);
}

/** Thread tools by name: those of the built-in toolsets and those the modules export. */
async function loadTools(
  { toolModules, toolsets }: SharedPlan,
  importModule: ImportModule,
): Promise<AgentKit> {
  const tools = new Map<string, AnyTool>();
  if (toolsets.length > 0) {
    // Loaded at need: an agent without file tools does not carry them (T9).
    const { builtinToolsets, findToolsets } = await import('../tools/toolsets.ts');
    for (const toolset of findToolsets(toolsets, builtinToolsets)) {
      for (const tool of toolset.tools) tools.set(tool.name, tool);
    }
  }
  for (const url of toolModules) {
    for (const tool of collectTools(await importModule(url), url)) tools.set(tool.name, tool);
  }
  return tools;
}
