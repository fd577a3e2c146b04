// Owns what is known of a tool there is, and what a stub of a test changes of it: where it runs, and which code.
import { omitUndefined } from '../../base/omit-undefined.ts';
import type { GrantedTool } from '../../protocol/worker-spec.ts';
import type { ToolStubs } from '../../tools/stubs.ts';
import type { AnyTool } from '../../tools/tool.ts';

/** A tool, described, with where it runs and what it comes from. */
export type KnownTool = GrantedTool & {
  readonly module?: string;
  readonly toolset?: string;
  /** The object itself; toolsets that share a tool have the same one. Not there for what a module exports. */
  readonly object?: AnyTool;
  /** Code of a test in the place of its own. */
  readonly isStub?: true;
};

/** The tool with the stub of its name, or as it is. What models see of it, and who may use it, stays the same. */
export function stubbed(tool: KnownTool, stubs: ToolStubs | undefined): KnownTool {
  const stub = stubs?.stubOf(tool.object ?? tool) ?? null;
  if (stub === null) return tool;
  const { name, description, inputSchema, isIdempotent, timeoutMs, tags, toolset } = tool;
  const same = { name, description, inputSchema, isIdempotent, tags };
  return {
    ...same,
    ...omitUndefined({ timeoutMs, toolset }),
    where: 'host',
    object: stub,
    isStub: true,
  };
}
