// Owns agent files: Markdown with front matter that becomes agent definitions. agent-file-tools.ts maps tool names.
import { join } from 'node:path';
import { z } from 'zod';
import { type AgentDefinition, agentSchema } from '../../agent/definition.ts';
import { modelRefSchema } from '../../agent/model-choice.ts';
import { describe } from '../../base/failures.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { type McpConfig, parseMcp } from '../../tools/mcp/options.ts';
import { type AgentFileOptions, type Draft, namesOf, takeField } from './agent-file-fields.ts';
import { fileServers } from './agent-file-servers.ts';
import { entriesOfList, fileTools } from './agent-file-tools.ts';
import { NearestFirst, readDefinition } from './definition-file.ts';
import {
  Diagnostics,
  entriesOf,
  type FileDiagnostic,
  passOverLink,
  type Report,
} from './definition-folder.ts';
import { type DefinitionSource, sourcesSchema, trustedFolders } from './definition-sources.ts';

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

const namedSchema = z.array(
  z.union([
    z.string().min(1),
    z.custom<{ name: string }>(
      (value) => typeof value === 'object' && value !== null && 'name' in value,
      'expected a name, or an object that has one',
    ),
  ]),
);
/** Where a project keeps its agents. */
const places = ['.claude/agents'];

const optionsSchema = z.strictObject({
  models: z.record(z.string(), modelRefSchema).optional(),
  tools: namedSchema.optional(),
  skills: namedSchema.optional(),
  inheritedToolsets: z.array(z.string().min(1)).optional(),
});

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
  const { mcpServers: knownServers = {}, ...others } = options;
  parseOptions(optionsSchema, others, 'loadAgentFiles');
  parseMcp({ mcpServers: knownServers }, {});
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

type ReadAgent = {
  readonly agent: AgentDefinition;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly mcp: McpConfig | null;
};

async function readAgent(
  file: string,
  options: AgentFileOptions,
  report: Report,
): Promise<ReadAgent | null> {
  const read = await readDefinition(file, report);
  if (read === null) return null;
  const { name, description, fields, body } = read;
  const draft: Draft = { name, description };
  if (body === '') report.warn('there is no text below the front matter, and so no prompt');
  else draft.prompt = body;
  const kept = new Map<string, unknown>();
  if (!takeTools(fields, options, { draft, kept, report })) return null;
  const mcp = takeServers(fields, options, { draft, kept, report });
  for (const [field, value] of fields) {
    const problem = takeField(field, value, options, draft);
    if (problem === null) continue;
    kept.set(field, value);
    report.warn(`${problem}; it is kept as metadata`, field);
  }
  const { success, error } = agentSchema.safeParse(draft);
  if (success) return { agent: draft, metadata: Object.fromEntries(kept), mcp };
  const [issue] = error.issues;
  const field = String(issue?.path[0] ?? 'name');
  const seen = describe(Reflect.get(draft, field));
  report.error(`${field} is ${seen}: ${issue?.message}; the file is left out`, field);
  return null;
}

/** What reading one file has come to. */
type Taking = {
  readonly draft: Draft;
  readonly kept: Map<string, unknown>;
  readonly report: Report;
};

/** The agent's own servers; null without any. */
function takeServers(
  fields: ReadonlyMap<string, unknown>,
  options: AgentFileOptions,
  { kept, report }: Taking,
): McpConfig | null {
  if (!fields.has('mcpServers')) return null;
  const taken = fileServers(fields.get('mcpServers'), options.mcpServers ?? {});
  const { servers: mcpServers, leftOver, remarks } = taken;
  for (const why of remarks) report.warn(`${why}; it is kept as metadata`, 'mcpServers');
  if (remarks.length > 0) kept.set('mcpServers', leftOver);
  return Object.keys(mcpServers).length === 0 ? null : { mcpServers };
}

/** False when the lists cannot be read: without them the agent would have more than its author meant. */
function takeTools(
  fields: ReadonlyMap<string, unknown>,
  options: AgentFileOptions,
  { draft, kept, report }: Taking,
): boolean {
  const tools = listOf('tools', fields, report);
  const disallowed = listOf('disallowedTools', fields, report);
  if (tools === null || disallowed === null) return false;
  const asked = { tools, disallowed: disallowed ?? [] };
  const registered = new Set(namesOf(options.tools ?? []));
  const { leftOver, remarks, ...settings } = fileTools(
    asked,
    registered,
    options.inheritedToolsets ?? [],
  );
  for (const { field, message } of remarks) report.warn(message, field);
  for (const [field, entries] of Object.entries(leftOver)) {
    if (entries.length > 0) kept.set(field, entries);
  }
  Object.assign(draft, settings);
  return true;
}

/** The entries of a field, undefined when there is no such field, null when it is no list. */
function listOf(
  field: 'tools' | 'disallowedTools',
  fields: ReadonlyMap<string, unknown>,
  report: Report,
): readonly string[] | undefined | null {
  if (!fields.has(field)) return undefined;
  const value = fields.get(field);
  const entries = entriesOfList(value);
  if (entries === null) {
    report.error(`${field} is ${describe(value)}: expected names; the file is left out`, field);
  } else if (entries.length === 0) report.warn(`${field} is empty and names no tool`, field);
  return entries;
}
