// Owns which tools a subagent has: those of its allowlist, out of its class's, its host's and the file tools. Pure.
import { TroupeError } from '../../../errors.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import type { PermissionBundle } from './permissions.ts';
import { subagentFileTools } from './virtual-files.ts';

export type ToolkitSources = {
  readonly name: string;
  /** Empty for no tool at all (D27). */
  readonly allowlist: readonly string[];
  /** What its class brings; wins over what a host has by the same name. */
  readonly own: readonly AnyTool[];
  /** What the host had when the subagent was registered. */
  readonly host: readonly AnyTool[];
  readonly permissions: PermissionBundle;
};

/**
 * A new toolkit, never the host's (D45): what the allowlist names, but for what the limits disable. The file tools can be
 * named where a file system is lent. Throws `unknown_tool` for a name that nobody has.
 */
export function toolkitOf(sources: ToolkitSources): readonly AnyTool[] {
  const { name, allowlist, own, host, permissions } = sources;
  const { filesystem, safetyLimits } = permissions;
  const files = filesystem === undefined ? [] : subagentFileTools(filesystem, name);
  const known = new Map([...host, ...files, ...own].map((tool) => [tool.name, tool]));
  const disabled = new Set(safetyLimits.disabledTools);
  return [...new Set(allowlist)].flatMap((asked) => {
    const tool = known.get(asked);
    if (tool === undefined) {
      const there = [...known.keys()].join(', ') || 'none';
      throw new TroupeError(
        'unknown_tool',
        `subagent ${name}: there is no tool "${asked}"; there is: ${there}`,
      );
    }
    return disabled.has(asked) ? [] : [tool];
  });
}
