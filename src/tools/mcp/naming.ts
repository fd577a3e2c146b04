// Owns what the tools of MCP servers are called here: `mcp__server__tool`, in the letters and the length that models take. Pure.
import { createHash } from 'node:crypto';

const maxName = 64;
const markLength = 8;

/** A tool of a server, as both are called at home. */
export type McpToolId = { readonly server: string; readonly tool: string };

/**
 * One name for each, in order, no two alike, each of 1 to 64 letters that models take. Names that are too long, or that
 * another already has, end in a mark made of the whole: it is the same as long as the configuration is.
 */
export function mcpToolNames(ids: readonly McpToolId[]): readonly string[] {
  const taken = new Set<string>();
  return ids.map((id) => {
    const plain = ['mcp', id.server, id.tool].map(inModelLetters).join('__');
    let name = plain;
    for (let attempt = 0; name.length > maxName || taken.has(name); attempt += 1) {
      const end = `_${markOf(id, attempt)}`;
      name = plain.slice(0, maxName - end.length) + end;
    }
    taken.add(name);
    return name;
  });
}

function inModelLetters(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function markOf({ server, tool }: McpToolId, attempt: number): string {
  const whole = JSON.stringify([server, tool, attempt]);
  return createHash('sha256').update(whole).digest('hex').slice(0, markLength);
}
