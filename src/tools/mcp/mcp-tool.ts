// Owns how a tool that a server lists becomes one of ours. What servers say of their tools is text of strangers: it is bounded.
import { TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import type { AnyTool, InputSchema, ToolContext, ToolOutput } from '../tool.ts';

/** A tool as a server lists it, as far as it is read here. */
export type ListedTool = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

export type McpToolSpec = {
  readonly name: string;
  readonly server: string;
  readonly listed: ListedTool;
  readonly timeoutMs: number;
  call(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolOutput>;
};

/** Characters of a description that reach a model. */
const maxDescription = 2_000;
/** Characters of a schema as JSON; a cut schema is none, so a longer one is refused. */
const maxSchema = 50_000;

/**
 * A host tool, tagged `mcp` and `mcp:<server>`. The server judges its arguments; the server's own claim that a tool is
 * harmless is ignored, so that a call is never repeated after a crash. Throws `invalid_tool` for a schema that
 * is too long or describes no object.
 */
export function mcpTool({ name, server, listed, timeoutMs, call }: McpToolSpec): AnyTool {
  const size = JSON.stringify(listed.inputSchema).length;
  if (size > maxSchema) {
    const limit = `a schema of at most ${maxSchema} characters`;
    throw new TroupeError('invalid_tool', `tool "${name}" must have ${limit}, got ${size}`);
  }
  return defineTool({
    name,
    description: descriptionOf(server, listed),
    input: passedOn(listed.inputSchema),
    timeoutMs,
    tags: ['mcp', `mcp:${server}`],
    run: call,
  });
}

function descriptionOf(server: string, { title, description, name }: ListedTool): string {
  const purpose = [description, title].find((text) => text !== undefined && text.trim() !== '');
  const text = purpose ?? `The tool ${name} of the MCP server ${server}.`;
  // Half a surrogate pair at the cut is no character.
  return text.length <= maxDescription
    ? text
    : text.slice(0, maxDescription).replace(/[\uD800-\uDBFF]$/, '');
}

/** A Standard Schema that prints the server's schema and accepts every object: the server validates it. */
function passedOn(
  schema: Readonly<Record<string, unknown>>,
): InputSchema<Readonly<Record<string, unknown>>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      // An object was made sure of before, as for every call of a tool.
      validate: (value) => ({ value: value as Readonly<Record<string, unknown>> }),
      jsonSchema: { input: () => ({ ...schema }) },
    },
  };
}
