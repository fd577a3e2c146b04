// Owns tools as the catalog knows them: described, with where they run and what they come from.
import type { GrantedTool } from '../../protocol/worker-spec.ts';
import type { HostToolset } from '../../tools/host-toolset.ts';
import type { AnyTool, DelegationReach } from '../../tools/tool.ts';
import { describeTools } from '../../tools/tool-module.ts';
import type { Toolset } from '../../tools/toolset.ts';
import { builtinToolsets } from '../../tools/toolsets.ts';

/** A tool as the catalog knows it. */
export type KnownTool = GrantedTool & {
  readonly module?: string;
  readonly toolset?: string;
  /** The object itself; toolsets that share a tool have the same one. Not there for what a module exports. */
  readonly object?: AnyTool;
};

/** Every toolset an agent may name: those that run in threads, then those of the host. */
export function knownToolsets(host: readonly HostToolset[]): readonly Toolset<KnownTool>[] {
  return [...builtinToolsets.map(described('thread')), ...host.map(described('host'))];
}

/** As an agent is offered it. Where it comes from is the catalog's business; the thread finds it by name. */
export function offeredAt(
  { module: _module, toolset: _toolset, object, ...tool }: KnownTool,
  reach: DelegationReach,
): GrantedTool {
  const description = object?.describeAt?.(reach);
  return description === undefined ? tool : { ...tool, description };
}

function described(where: 'thread' | 'host'): (toolset: Toolset<AnyTool>) => Toolset<KnownTool> {
  return ({ name, description, tools }) => ({
    name,
    description,
    tools: tools.flatMap((object) =>
      describeTools([object]).map((tool) => ({ ...tool, where, toolset: name, object })),
    ),
  });
}

/** True for a tool that reads files of the workspace: what was cut from a result is kept for it. */
export function readsFiles({ toolset, name }: KnownTool): boolean {
  return toolset === 'terminal' || (toolset === 'file' && name === 'read');
}

/** The objects of the service among them that are of no toolset, by name. */
export function hostToolsOf(granted: readonly KnownTool[]): ReadonlyMap<string, AnyTool> {
  return new Map(
    granted.flatMap(({ object, toolset }) =>
      object === undefined || toolset !== undefined ? [] : [[object.name, object]],
    ),
  );
}
