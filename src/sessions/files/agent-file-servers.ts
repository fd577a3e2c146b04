// Owns the field `mcpServers` of an agent file: which servers are that agent's own. Reads no file, starts nothing.
import { describe } from '../../base/failures.ts';
import { isRecord } from '../../base/is-record.ts';
import { type McpConfig, mcpServerProblem } from '../../tools/mcp/options.ts';
import { entriesOfList } from './agent-file-tools.ts';

type Servers = McpConfig['mcpServers'];

export type FileServers = {
  readonly servers: Servers;
  /** Entries without effect, by name. */
  readonly leftOver: Readonly<Record<string, unknown>>;
  /** Why each of them is; no value of `env` or `headers` is in it. */
  readonly remarks: readonly string[];
};

/** Names of `known`, servers in place (`{ name: { command, … } }`), or a list of both. */
export function fileServers(value: unknown, known: Servers): FileServers {
  const servers = new Map<string, Servers[string]>();
  const leftOver = new Map<string, unknown>();
  const remarks: string[] = [];
  const leaveOut = (name: string, entry: unknown, why: string): void => {
    leftOver.set(name, entry);
    remarks.push(why);
  };
  for (const entry of entriesOf(value)) {
    if (typeof entry === 'string') {
      const server = Object.hasOwn(known, entry) ? known[entry] : undefined;
      if (server === undefined) {
        const why = `there is no MCP server ${describe(entry)}, and the agent goes without`;
        leaveOut(entry, true, why);
      } else servers.set(entry, server);
    } else if (isRecord(entry)) {
      for (const [name, server] of Object.entries(entry)) {
        const problem = mcpServerProblem(name, server);
        // Judged by the schema of a server: it is one.
        if (problem === null) servers.set(name, server as Servers[string]);
        else leaveOut(name, server, `${problem}; the agent goes without this server`);
      }
    } else {
      const kind = Array.isArray(entry) ? 'a list' : typeof entry;
      leaveOut('mcpServers', entry, `an entry is ${kind}: expected names, or servers by name`);
    }
  }
  return {
    servers: Object.fromEntries(servers),
    leftOver: Object.fromEntries(leftOver),
    remarks,
  };
}

function entriesOf(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return entriesOfList(value) ?? [];
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}
