// Owns which tools a subagent has: those of its allowlist, out of its class's, its host's and the file tools. Pure.
import type { AgentDefinition, ToolReference } from '../../../agent/definition.ts';
import { TroupeError } from '../../../base/failures.ts';
import { isTool } from '../../../tools/define-tool.ts';
import type { PermissionBundle } from './permissions.ts';
import { subagentFileTools } from './virtual-files.ts';

export type ToolkitSources = {
  readonly name: string;
  /** Empty for no tool at all (D27). */
  readonly allowlist: readonly string[];
  /** What its class brings; wins over what a host has by the same name. */
  readonly own: readonly ToolReference[];
  /** What the host had when the subagent was registered. */
  readonly host: readonly ToolReference[];
  /** Toolsets of its class: what is in them only the supervisor knows. */
  readonly toolsets: readonly string[];
  readonly permissions: PermissionBundle;
};

export type SubagentTools = {
  /** For its toolkit: tools that the allowlist names, and modules that may have one. */
  readonly tools: readonly ToolReference[];
  /** Names of the allowlist that a module or a toolset has, or that do not exist. */
  readonly elsewhere: readonly string[];
  readonly toolsets: readonly string[];
  readonly allowed: readonly string[];
};

/**
 * A new toolkit, never the host's (D45): what the allowlist names, but for what the limits disable. Where a file system is
 * lent its file tools can be named, in the place of the toolset `file`. Throws `unknown_tool` for a name that no tool has, and
 * `invalid_options` for a shell, which leads out of a file system that is lent.
 */
export function toolkitOf(sources: ToolkitSources): SubagentTools {
  const { name, allowlist, own, host, permissions } = sources;
  const { filesystem, safetyLimits } = permissions;
  const files = filesystem === undefined ? [] : subagentFileTools(filesystem, name);
  const toolsets = filesystem === undefined ? sources.toolsets : belowRoot(sources);
  const all = [...host, ...files, ...own];
  const known = new Map<string, ToolReference>();
  for (const each of all) if (!(each instanceof URL)) known.set(nameOf(each), each);
  const modules = all.filter((each) => each instanceof URL);
  const disabled = new Set(safetyLimits.disabledTools);
  const allowed = [...new Set(allowlist)].filter((asked) => !disabled.has(asked));
  const elsewhere = [...new Set(allowlist)].filter((asked) => !known.has(asked));
  if (elsewhere.length > 0 && modules.length === 0 && toolsets.length === 0) {
    const there = [...known.keys()].join(', ') || 'none';
    throw new TroupeError(
      'unknown_tool',
      `subagent ${name}: there is no tool "${elsewhere[0]}"; there is: ${there}`,
    );
  }
  const tools = allowed.flatMap((asked) => known.get(asked) ?? []);
  return {
    tools: elsewhere.length === 0 ? tools : [...tools, ...modules],
    elsewhere: elsewhere.filter((asked) => !disabled.has(asked)),
    toolsets: elsewhere.length === 0 ? [] : toolsets,
    allowed,
  };
}

/** The agent of a run with exactly these tools, whatever its class specifies; the tools of its own machinery remain. */
export function withTools(
  agent: AgentDefinition,
  { elsewhere, toolsets, allowed }: SubagentTools,
): AgentDefinition {
  const { tools = [] } = agent;
  const now = tools.filter((each) => isTool(each)).map(({ name }) => name);
  return {
    ...agent,
    tools: [...tools, ...elsewhere],
    toolsets,
    allowedTools: [...new Set([...allowed, ...now])],
  };
}

/** The toolsets of a subagent that sees a virtual root only (D46). */
function belowRoot({ name, toolsets, allowlist }: ToolkitSources): readonly string[] {
  if (toolsets.includes('terminal') && allowlist.includes('terminal')) {
    const why = 'its toolset "terminal" leads out of the file system that it is lent';
    throw new TroupeError('invalid_options', `subagent ${name}: ${why}`);
  }
  return toolsets.filter((each) => each !== 'file' && each !== 'terminal');
}

function nameOf(tool: Exclude<ToolReference, URL>): string {
  return typeof tool === 'string' ? tool : tool.name;
}
