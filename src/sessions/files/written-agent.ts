// Owns how an agent written in the words of Claude Code becomes a definition, field by field. Reads no file.
import { z } from 'zod';
import { type AgentDefinition, agentSchema } from '../../agent/definition.ts';
import { modelRefSchema } from '../../agent/model-choice.ts';
import { describe } from '../../base/failures.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { type McpConfig, parseMcp } from '../../tools/mcp/options.ts';
import { type AgentFileOptions, type Draft, namesOf, takeField } from './agent-file-fields.ts';
import { fileServers } from './agent-file-servers.ts';
import { entriesOfList, fileTools } from './agent-file-tools.ts';
import type { Report } from './definition-folder.ts';

const namedSchema = z.array(
  z.union([
    z.string().min(1),
    z.custom<{ name: string }>(
      (value) => typeof value === 'object' && value !== null && 'name' in value,
      'expected a name, or an object that has one',
    ),
  ]),
);
const optionsSchema = z.strictObject({
  models: z.record(z.string(), modelRefSchema).optional(),
  tools: namedSchema.optional(),
  skills: namedSchema.optional(),
  inheritedToolsets: z.array(z.string().min(1)).optional(),
});

/** Throws `invalid_options` naming what is wrong. */
export function checkAgentOptions(options: AgentFileOptions, what: string): void {
  const { mcpServers = {}, ...others } = options;
  parseOptions(optionsSchema, others, what);
  parseMcp({ mcpServers }, {});
}

export type ReadAgent = {
  readonly agent: AgentDefinition;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly mcp: McpConfig | null;
};

/** An agent as its author wrote it: what is needed, and all fields. */
export type WrittenAgent = {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly fields: ReadonlyMap<string, unknown>;
};

/** The definition it comes to; null for one that is left out. What has no effect, or is wrong, is reported. */
export function agentOf(
  { name, description, prompt, fields }: WrittenAgent,
  options: AgentFileOptions,
  report: Report,
): ReadAgent | null {
  const draft: Draft = { name, description };
  if (prompt !== '') draft.prompt = prompt;
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
  report.error(`${field} is ${seen}: ${issue?.message}; the agent is left out`, field);
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
    report.error(`${field} is ${describe(value)}: expected names; the agent is left out`, field);
  } else if (entries.length === 0) report.warn(`${field} is empty and names no tool`, field);
  return entries;
}
