// Owns the MCP servers of one configuration: connects all of them at once, names their tools, reports what went wrong.
import { type Failure, failure, toFailure } from '../../base/failures.ts';
import type { AnyTool } from '../tool.ts';
import { McpConnection } from './connection.ts';
import { type ListedTool, mcpTool } from './mcp-tool.ts';
import { mcpToolNames } from './naming.ts';
import { type McpConfig, type McpOptions, parseMcp } from './options.ts';
import { loadMcpSdk } from './sdk.ts';

/** A server that could not be used, or a tool of one that was left out. */
export type McpDiagnostic = {
  /** Its name in the configuration. */
  readonly server: string;
  /** As the server calls it; absent when it is about the server. */
  readonly tool?: string;
  /** What went wrong. */
  readonly failure: Failure;
};

/** Servers that are connected, until `close`. */
export type McpConnections = AsyncDisposable & {
  /** Host tools named `mcp__server__tool`, for `createSupervisor({ tools })`. */
  readonly tools: readonly AnyTool[];
  /** The servers and tools that could not be used. */
  readonly diagnostics: readonly McpDiagnostic[];
  /** Ends every connection and every process that was started for one. Calls in flight end as errors. */
  close(): Promise<void>;
};

/**
 * Makes host tools of what MCP servers list. Agents share the connections; the caller closes them. An unusable server
 * is a diagnostic, and the others work; calls of one that dies later are retryable error results, and the next call
 * reconnects it. Throws `invalid_options`, and `mcp_package_missing` without `@modelcontextprotocol/client`.
 */
export async function connectMcp(
  config: McpConfig,
  options: McpOptions = {},
): Promise<McpConnections> {
  const settings = parseMcp(config, options);
  const sdk = await loadMcpSdk();
  const diagnostics: McpDiagnostic[] = [];
  const opened = await Promise.all(
    Object.entries(settings.mcpServers).map(async ([name, server]) => {
      try {
        return [await McpConnection.open({ name, server, settings, sdk })];
      } catch (error) {
        diagnostics.push({ server: name, failure: toFailure(error, 'mcp_unavailable') });
        return [];
      }
    }),
  );
  const connections = opened.flat();
  const tools = toolsOf(connections, settings.timeoutMs, diagnostics);
  const close = async (): Promise<void> => {
    await Promise.all(connections.map((connection) => connection.close()));
  };
  return { tools, diagnostics, close, [Symbol.asyncDispose]: close };
}

function toolsOf(
  connections: readonly McpConnection[],
  timeoutMs: number,
  diagnostics: McpDiagnostic[],
): readonly AnyTool[] {
  const listed = connections.flatMap((connection) =>
    onlyOnce(connection, diagnostics).map((tool) => ({ connection, tool })),
  );
  const names = mcpToolNames(
    listed.map(({ connection, tool }) => ({ server: connection.name, tool: tool.name })),
  );
  return listed.flatMap(({ connection, tool }, index) => {
    try {
      const options = {
        // One name was made for each.
        name: names[index] ?? '',
        server: connection.name,
        listed: tool,
        timeoutMs,
      };
      return [mcpTool({ ...options, call: (...call) => connection.call(tool.name, ...call) })];
    } catch (error) {
      const reason = toFailure(error, 'invalid_tool');
      diagnostics.push(diagnosis(connection.name, tool.name, reason));
      return [];
    }
  });
}

/** A name that a server lists twice names the first. */
function onlyOnce(
  { name: server, tools }: McpConnection,
  diagnostics: McpDiagnostic[],
): readonly ListedTool[] {
  const seen = new Set<string>();
  return tools.filter(({ name }) => {
    if (!seen.has(name)) return seen.add(name);
    const reason = failure('invalid_tool', `the server lists two tools of this name`);
    diagnostics.push(diagnosis(server, name, reason));
    return false;
  });
}

const maxToolName = 200;

/** Names of tools are text from the server as well. */
function diagnosis(server: string, tool: string, reason: Failure): McpDiagnostic {
  return { server, tool: tool.slice(0, maxToolName), failure: reason };
}
