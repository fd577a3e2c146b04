// Owns the tools and hooks of an agent spec inside a thread: loaded once per worker slot, shared by its activations.
import type { WorkerSpec } from '../protocol/worker-spec.ts';
import type { AnyTool } from '../tools/tool.ts';
import { collectTools } from '../tools/tool-module.ts';
import { collectHooks, type Hooks } from './hooks.ts';

export type ThreadTools = ReadonlyMap<string, AnyTool>;

export type LoadedTools = {
  /** The thread tools by name. */
  readonly tools: ThreadTools;
  /** Hooks by the module they are in. */
  readonly hooks: ReadonlyMap<string, Hooks>;
};

type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

const emptyLoaded: LoadedTools = { tools: new Map(), hooks: new Map() };

/** The loaded tools and hooks of an agent spec; not a promise when there is nothing to load. */
export function loadToolsOf(
  spec: WorkerSpec,
  importModule: ImportModule,
): LoadedTools | Promise<LoadedTools> {
  const { toolsets, toolModules } = spec;
  const hookModules = hookModulesOf(spec);
  const needsNone = toolsets.length + toolModules.length + hookModules.length === 0;
  return needsNone ? emptyLoaded : loadLoaded(spec, hookModules, importModule);
}

/** The modules of the agent spec's hooks, each once. */
export function hookModulesOf({ hooks = [] }: Pick<WorkerSpec, 'hooks'>): readonly string[] {
  return [...new Set(hooks.flatMap(({ module }) => (module === undefined ? [] : [module])))];
}

async function loadLoaded(
  spec: WorkerSpec,
  hookModules: readonly string[],
  importModule: ImportModule,
): Promise<LoadedTools> {
  const tools = await loadTools(spec, importModule);
  const hooks = new Map<string, Hooks>();
  for (const url of hookModules) hooks.set(url, collectHooks(await importModule(url), url));
  return { tools, hooks };
}

/** Thread tools by name: those of the built-in toolsets and those the modules export. */
async function loadTools(
  { toolModules, toolsets }: WorkerSpec,
  importModule: ImportModule,
): Promise<ThreadTools> {
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
