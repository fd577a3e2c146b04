// Owns the private MCP servers of loaded agents: connected when the program asks, their tools that agent's alone.
import { z } from 'zod';
import type { AgentDefinition } from '../../agent/definition.ts';
import { isRecord } from '../../base/is-record.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { connectMcp, type McpConnections, type McpDiagnostic } from '../../tools/mcp/connect.ts';
import type { McpConfig, McpOptions } from '../../tools/mcp/options.ts';

const loadedSchema = z.looseObject({
  agents: z.array(z.custom<AgentDefinition>((value) => isRecord(value), 'expected an agent')),
  mcpServers: z.instanceof(Map<string, McpConfig>, {
    error: 'expected what loadAgentFiles resolves with',
  }),
});

/** What went wrong with a server of this agent. */
export type AgentServerDiagnostic = McpDiagnostic & {
  /** The agent's name. */
  readonly agent: string;
};

/** Agents whose own servers are connected, until `close`. */
export type ConnectedAgents = AsyncDisposable & {
  /** Ready for the `agents` of a supervisor, in the order they were loaded in. */
  readonly agents: readonly AgentDefinition[];
  /** The servers and tools that could not be used. */
  readonly diagnostics: readonly AgentServerDiagnostic[];
  /** Ends every connection and every process that was started for one. */
  close(): Promise<void>;
};

/**
 * Connects the servers that agent files name in `mcpServers`, each agent its own: two agents with one server have two
 * connections, and of a command two processes. The tools are `ownTools` of that agent's definition, so that no other agent
 * has them. A server that cannot be used is a diagnostic, and its agent goes without. Throws as `connectMcp` does, with
 * nothing left behind.
 */
export async function connectAgentServers(
  loaded: {
    readonly agents: readonly AgentDefinition[];
    readonly mcpServers: ReadonlyMap<string, McpConfig>;
  },
  options: McpOptions = {},
): Promise<ConnectedAgents> {
  const { agents, mcpServers } = parseOptions(loadedSchema, loaded, 'connectAgentServers');
  const connections = await connectAll(
    agents.flatMap(({ name }) => {
      const config = mcpServers.get(name);
      return config === undefined ? [] : [[name, config] as const];
    }),
    options,
  );
  const close = async (): Promise<void> => {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  };
  return {
    agents: agents.map((agent) => {
      const tools = connections.get(agent.name)?.tools ?? [];
      return tools.length === 0
        ? agent
        : { ...agent, ownTools: [...(agent.ownTools ?? []), ...tools] };
    }),
    diagnostics: [...connections].flatMap(([agent, { diagnostics }]) =>
      diagnostics.map((each) => ({ agent, ...each })),
    ),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function connectAll(
  configs: readonly (readonly [agent: string, config: McpConfig])[],
  options: McpOptions,
): Promise<ReadonlyMap<string, McpConnections>> {
  const settled = await Promise.allSettled(
    configs.map(async ([agent, config]) => [agent, await connectMcp(config, options)] as const),
  );
  const connected = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed === undefined) return new Map(connected);
  await Promise.all(connected.map(([, connection]) => connection.close()));
  throw failed.reason;
}
