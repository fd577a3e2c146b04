// Owns which tools there are: those of the supervisor and of toolsets, and those that definitions and tasks bring.
import type { AgentDefinition, ToolReference } from '../../agent/definition.ts';
import type { Clock } from '../../base/clock.ts';
import type { GrantedTool } from '../../protocol/worker-spec.ts';
import {
  type AllowedCommands,
  describeAllowed,
} from '../../tools/builtin/terminal/allowed-commands.ts';
import type { HostToolset } from '../../tools/host-toolset.ts';
import type { ToolStubs } from '../../tools/stubs.ts';
import type { AnyTool, DelegationReach } from '../../tools/tool.ts';
import { describeTool } from '../../tools/tool-module.ts';
import type { Toolset } from '../../tools/toolset.ts';
import { builtinToolsets } from '../../tools/toolsets.ts';
import { DescribedModules, type ModuleDescriptions, type PrepareHow } from './described-modules.ts';
import { type KnownTool, stubbed } from './known-tool.ts';
import type { Settings } from './settings.ts';

export type CatalogOptions = {
  readonly clock: Clock;
  readonly tools: readonly (AnyTool | URL)[];
  /** Beside those that run in threads: `terminal`, `web`, and the program's own. */
  readonly toolsets: readonly HostToolset[];
  readonly modules: ModuleDescriptions;
  /** Tools in the place of others, by name. */
  readonly stubs?: ToolStubs | undefined;
};

const terminal = 'terminal';

export class ToolCatalog {
  /** Every toolset an agent may name: those that run in threads, then those of the host. */
  readonly toolsets: readonly Toolset<KnownTool>[];
  readonly #stubs: ToolStubs | undefined;
  readonly #registered: readonly (AnyTool | URL)[];
  readonly #modules: DescribedModules<readonly KnownTool[]>;
  /** By the object: a tool that came with one task is forgotten with it. */
  readonly #described = new WeakMap<AnyTool, readonly KnownTool[]>();

  constructor({ clock, tools, toolsets, modules, stubs }: CatalogOptions) {
    this.#registered = tools;
    this.#stubs = stubs;
    this.toolsets = [
      ...builtinToolsets.map((each) => describedToolset(each, 'thread', stubs)),
      ...toolsets.map((each) => describedToolset(each, 'host', stubs)),
    ];
    this.#modules = new DescribedModules(async (module, profile) => {
      const described = await modules.describe(module, profile);
      return described.map((tool) => stubbed({ ...tool, where: 'thread', module }, stubs));
    }, clock);
  }

  /** The tools a reference stands for: none for a name, or for a module that is not described yet. */
  of(reference: ToolReference): readonly KnownTool[] {
    if (typeof reference === 'string') return [];
    if (reference instanceof URL) return this.#modules.get(reference.href) ?? [];
    let described = this.#described.get(reference);
    if (described === undefined) {
      const tool = { ...describeTool(reference), where: 'host', object: reference } as const;
      described = [stubbed(tool, this.#stubs)];
      this.#described.set(reference, described);
    }
    return described;
  }

  /** What the supervisor has, then what the definition and the task bring themselves. */
  registered(definition?: AgentDefinition, settings?: Settings): readonly KnownTool[] {
    return this.references(definition, settings).flatMap((each) => this.of(each));
  }

  /** The same as it was given, each once. */
  references(definition?: AgentDefinition, settings?: Settings): readonly (AnyTool | URL)[] {
    const named = [...(definition?.tools ?? []), ...(settings?.tools ?? [])];
    const objects = named.filter((each) => typeof each !== 'string');
    const all = [...this.#registered, ...objects, ...(settings?.ownTools ?? [])];
    const known = new Map<string | AnyTool, AnyTool | URL>();
    for (const each of all) known.set(each instanceof URL ? each.href : each, each);
    return [...known.values()];
  }

  /** Describes the modules that a run cannot do without; null when all are known. Rejects as `DescribedModules.prepare`. */
  prepare(definition: AgentDefinition, settings: Settings, how: PrepareHow): Promise<void> | null {
    return this.#modules.prepare(this.#neededModules(definition, settings), how);
  }

  /**
   * Those that its tools name; all there are when it asks for every tool, or for a name that is none of the known. So a bad
   * one fails no other task.
   */
  #neededModules(definition: AgentDefinition, settings: Settings): readonly string[] {
    const references = this.references(definition, settings);
    const unknown = modulesAmong(references).filter((url) => this.#modules.get(url) === undefined);
    const { tools: declared, grantedTools = [] } = settings;
    if (unknown.length === 0 || declared === undefined) return unknown;
    const opened = this.toolsets.filter(({ name }) => settings.toolsets.includes(name));
    const known = new Set(
      [...references.flatMap((each) => this.of(each)), ...opened.flatMap(({ tools }) => tools)].map(
        ({ name }) => name,
      ),
    );
    const wanted = declared.filter((each) => typeof each === 'string');
    const areKnown = [...wanted, ...grantedTools].every((name) => known.has(name));
    return areKnown ? modulesAmong(declared) : unknown;
  }
}

/** The addresses of the modules among references to tools, or to hooks. */
export function modulesAmong(references: readonly unknown[]): readonly string[] {
  return references.flatMap((each) => (each instanceof URL ? [each.href] : []));
}

function describedToolset(
  { name: toolset, description, tools }: Toolset,
  where: KnownTool['where'],
  stubs: ToolStubs | undefined,
): Toolset<KnownTool> {
  const described = tools.map((object) =>
    stubbed({ ...describeTool(object), where, toolset, object }, stubs),
  );
  return { name: toolset, description, tools: described };
}

/** What holds for the tools of an agent. */
type OfferedWith = {
  readonly reach: DelegationReach;
  readonly commands: AllowedCommands;
  readonly requiredApprovals: { has(tool: string): boolean };
};

/** As an agent is offered them. Where they come from is the catalog's business; the thread finds them by name. */
export function offeredTools(granted: readonly KnownTool[], at: OfferedWith): GrantedTool[] {
  return granted.map(({ module: _module, toolset, object, isStub: _isStub, ...tool }) => {
    const plain = object?.describeAt?.(at.reach) ?? tool.description;
    const isRestricted = toolset === terminal && at.commands.length > 0;
    const description = isRestricted ? describeAllowed(plain, at.commands) : plain;
    const isApprovalRequired = at.requiredApprovals.has(tool.name);
    return { ...tool, description, ...(isApprovalRequired ? { isApprovalRequired } : {}) };
  });
}

/** True for a tool that reads files of the workspace: what was cut from a result is kept for it. */
export function readsFiles({ toolset, name }: KnownTool): boolean {
  return toolset === terminal || (toolset === 'file' && name === 'read');
}

/** The objects of the service among them that no toolset has to be opened for, by name. */
export function hostToolsOf(granted: readonly KnownTool[]): ReadonlyMap<string, AnyTool> {
  return new Map(
    granted.flatMap(({ object, toolset, isStub = false }) =>
      object === undefined || (toolset !== undefined && !isStub) ? [] : [[object.name, object]],
    ),
  );
}
