// Owns the hint in an error for a tool or toolset that does not exist: what the name is instead. Pure.
import { insteadOf, nearestName } from '../base/nearest-name.ts';
import type { Toolset } from './toolset.ts';

type Named = { readonly name: string };

/** True for a text that is the path of a module, which tools are given by as a URL. */
export function isModulePath(text: string): boolean {
  return /^(\.{0,2}\/|file:)/.test(text) || /\.[cm]?[jt]s$/.test(text);
}

/** What to write instead of the path of a module. */
export function moduleHint(path: string): string {
  const shown = JSON.stringify(path.slice(0, 80));
  const url = path.startsWith('file:') ? `new URL(${shown})` : `new URL(${shown}, import.meta.url)`;
  return `a module is given as ${url}`;
}

/** What a wrong name in `tools` probably means, a sentence after others; empty when nothing is near. */
export function toolHint(
  name: string,
  tools: readonly Named[],
  toolsets: readonly Toolset<Named>[],
): string {
  if (isModulePath(name)) return ` To have the tools of a module: ${moduleHint(name)}.`;
  if (toolsets.some((toolset) => toolset.name === name)) {
    return ` ${JSON.stringify(name)} is a toolset: toolsets: [${JSON.stringify(name)}].`;
  }
  const owner = toolsets.find((toolset) => toolset.tools.some((tool) => tool.name === name));
  if (owner !== undefined) {
    return ` ${JSON.stringify(name)} is a tool of a toolset: toolsets: [${JSON.stringify(owner.name)}].`;
  }
  const nearest = nearestName(
    name.slice(0, 80),
    tools.map((tool) => tool.name),
  );
  return nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
}

/** What a wrong name in `toolsets` probably means. */
export function toolsetHint(
  name: string,
  toolsets: readonly Toolset<Named>[],
  tools: readonly Named[] = [],
): string {
  if (tools.some((tool) => tool.name === name)) {
    return `${JSON.stringify(name)} is a tool: tools: [${JSON.stringify(name)}]`;
  }
  return insteadOf(
    name,
    toolsets.map((toolset) => toolset.name),
  );
}
