// Owns what a tool module must export, and the plain description of its tools that crosses threads. Imports no module itself.
import { describe, TroupeError } from '../base/failures.ts';
import type { ToolDescription } from '../protocol/tool-description.ts';
import { isTool } from './define-tool.ts';
import { jsonSchemaOf } from './schema.ts';
import type { AnyTool } from './tool.ts';

/**
 * The tools an imported module exports, in the order of its export names; other exports are left alone.
 * Throws `tool_module_failed` when there is none or two share a name. `from` is what messages call the module.
 */
export function collectTools(
  namespace: Readonly<Record<string, unknown>>,
  from: string,
): readonly AnyTool[] {
  // A set, because one tool may be exported under two names.
  const tools = [...new Set(Object.values(namespace).filter(isTool))];
  if (tools.length === 0) {
    const names = Object.keys(namespace);
    const seen = names.length === 0 ? 'nothing' : describe(names);
    throw new TroupeError(
      'tool_module_failed',
      `${from} exports no tool made by defineTool; it exports ${seen}`,
    );
  }
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) {
      throw new TroupeError(
        'tool_module_failed',
        `${from} exports two tools named ${describe(name)}`,
      );
    }
    names.add(name);
  }
  return tools;
}

/** What a model, the resolver of grants and the host need to know of a tool: plain data. */
export function describeTool(tool: AnyTool): ToolDescription {
  const { name, description, input, isIdempotent, timeoutMs, keepsThread, tags } = tool;
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input),
    isIdempotent,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(keepsThread === true ? { keepsThread } : {}),
    tags: [...tags],
  };
}
