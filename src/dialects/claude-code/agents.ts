// Owns the agents of the Claude Agent SDK's option `agents`, as definitions.
import { z } from 'zod';
import type { AgentDefinition } from '../../agent/definition.ts';
import { parseOptions } from '../../base/parse-options.ts';
import type { AgentFileOptions } from '../../sessions/files/agent-file-fields.ts';
import { agentOf, checkAgentOptions } from '../../sessions/files/written-agent.ts';
import type { McpConfig } from '../../tools/mcp/options.ts';

/** What a record of agents comes to. */
export type ClaudeAgents = {
  /** For the `agents` of a supervisor. */
  readonly agents: readonly AgentDefinition[];
  /** What was left out, and why. */
  readonly warnings: readonly string[];
  /** Fields without effect, by the agent's name. */
  readonly metadata: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** MCP servers of its own, by the agent's name, for `connectAgentServers`; none was started. Secrets included. */
  readonly mcpServers: ReadonlyMap<string, McpConfig>;
};

const schema = z.record(
  z.string().min(1),
  z.looseObject({ description: z.string().min(1), prompt: z.string().default('') }),
);

/**
 * The option `agents` of the Claude Agent SDK: `{ reviewer: { description, prompt, tools: ['Read', 'Grep'], model: 'sonnet' } }`. Its
 * fields are those of agent files, and mean the same; `options.models` says what `sonnet` is. Throws `invalid_options` for an agent without a description.
 */
export function claudeAgents(
  agents: Readonly<Record<string, object>>,
  options: AgentFileOptions = {},
): ClaudeAgents {
  const given = parseOptions(schema, agents, 'claudeAgents');
  checkAgentOptions(options, 'claudeAgents');
  const metadata = new Map<string, Readonly<Record<string, unknown>>>();
  const mcpServers = new Map<string, McpConfig>();
  const warnings: string[] = [];
  const definitions = Object.entries(given).flatMap(([name, written]) => {
    const { description, prompt, ...others } = written;
    const warn = (message: string): void => void warnings.push(`${name}: ${message}`);
    const fields = new Map(Object.entries(others).filter(([, value]) => value != null));
    const read = agentOf({ name, description, prompt, fields }, options, { warn, error: warn });
    if (read === null) return [];
    if (Object.keys(read.metadata).length > 0) metadata.set(name, read.metadata);
    if (read.mcp !== null) mcpServers.set(name, read.mcp);
    return [read.agent];
  });
  return { agents: definitions, warnings, metadata, mcpServers };
}
