// Owns agent files: Markdown with front matter that becomes agent definitions. Leaves out what the fields mean (written-agent.ts).
import { join } from 'node:path';
import type { AgentDefinition } from '../../agent/definition.ts';
import { parseOptions } from '../../base/parse-options.ts';
import type { McpConfig } from '../../tools/mcp/options.ts';
import type { AgentFileOptions } from './agent-file-fields.ts';
import { NearestFirst, readDefinition } from './definition-file.ts';
import {
  Diagnostics,
  entriesOf,
  type FileDiagnostic,
  passOverLink,
  type Report,
} from './definition-folder.ts';
import { type DefinitionSource, sourcesSchema, trustedFolders } from './definition-sources.ts';
import { agentOf, checkAgentOptions, type ReadAgent } from './written-agent.ts';

/** What `loadAgentFiles` found. */
export type LoadedAgents = {
  /** Ready for the `agents` of a supervisor; nearest folder first, by file name within one. */
  readonly agents: readonly AgentDefinition[];
  /** What was left out of the files, and why. */
  readonly diagnostics: readonly FileDiagnostic[];
  /** Fields without effect, by the agent's name. They are the file's own, secrets included: they belong in no log. */
  readonly metadata: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** MCP servers of its own, by the agent's name, for `connectAgentServers`; none was started. Secrets included. */
  readonly mcpServers: ReadonlyMap<string, McpConfig>;
};

/** Where a project keeps its agents. */
const places = ['.claude/agents'];

/**
 * Reads the agent files (`*.md`) of these folders, nearest first; of a trusted project those of `.claude/agents`, of one
 * that is not trusted nothing, with an error when it has that folder. Of two agents with one name the nearest is taken,
 * and a diagnostic names the other. Folders below them are not read, links are not followed.
 *
 * A file without a name or a description, or whose lists of tools cannot be read, is left out with an error; whatever else
 * is wrong with it is a warning. A file that names no tools has all registered tools and `inheritedToolsets`; one that
 * does has those it names, of the built-in ones and of `tools`. `WebSearch` needs a supervisor with `web.search`.
 * Rejects `invalid_options` for wrong arguments, never for the contents of a folder.
 */
export async function loadAgentFiles(
  folders: readonly DefinitionSource[],
  options: AgentFileOptions = {},
): Promise<LoadedAgents> {
  parseOptions(sourcesSchema, folders, 'loadAgentFiles: folders');
  checkAgentOptions(options, 'loadAgentFiles');
  const diagnostics = new Diagnostics();
  const loaded = new NearestFirst<AgentDefinition>('agent');
  const metadata = new Map<string, Readonly<Record<string, unknown>>>();
  const mcpServers = new Map<string, McpConfig>();
  for (const folder of await trustedFolders(folders, places, diagnostics)) {
    const entries = (await entriesOf(folder, diagnostics.about(folder))) ?? [];
    for (const entry of entries.filter(({ name }) => name.endsWith('.md'))) {
      const file = join(folder, entry.name);
      const report = diagnostics.about(file);
      if (entry.isDirectory()) continue;
      if (entry.isSymbolicLink()) {
        passOverLink(report);
        continue;
      }
      const read = await readAgent(file, options, report);
      if (read === null) continue;
      if (!loaded.take(file, read.agent, report)) continue;
      if (Object.keys(read.metadata).length > 0) metadata.set(read.agent.name, read.metadata);
      if (read.mcp !== null) mcpServers.set(read.agent.name, read.mcp);
    }
  }
  return { agents: loaded.all, diagnostics: diagnostics.all, metadata, mcpServers };
}

async function readAgent(
  file: string,
  options: AgentFileOptions,
  report: Report,
): Promise<ReadAgent | null> {
  const read = await readDefinition(file, report);
  if (read === null) return null;
  if (read.body === '') report.warn('there is no text below the front matter, and so no prompt');
  return agentOf({ ...read, prompt: read.body }, options, report);
}
