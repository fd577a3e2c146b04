// Owns how the fields of an agent file set its definition, except its tools. Reads no file, reports nothing.
import { type AgentDefinition, agentSchema, type ModelRef } from '../../agent/definition.ts';
import { describe } from '../../base/failures.ts';
import type { McpConfig } from '../../tools/mcp/options.ts';
import { approvalPatterns, entriesOfList } from './agent-file-tools.ts';

/** A tool or a skill of the supervisor: its name, or what has one. */
type Named = string | { readonly name: string };

/** What the names in agent files mean. */
export type AgentFileOptions = {
  /**
   * What the model names of files mean: `{ sonnet: 'anthropic:…' }`. Without an entry `claude-…` is that model of
   * Anthropic's, `anthropic:…`, `openai:…` and `offline` are what they are, `inherit` is the supervisor's, and any other
   * name is left out with a warning.
   */
  readonly models?: Readonly<Record<string, ModelRef>>;
  /** Tools registered on the supervisor, which files may name beside the built-in ones. Default: none. */
  readonly tools?: readonly Named[];
  /** Skills of the supervisor; others that a file names are left out with a warning. Default: any name is taken. */
  readonly skills?: readonly Named[];
  /** MCP servers that files may name; those of one file are connected for its agent alone. Default: none. */
  readonly mcpServers?: McpConfig['mcpServers'];
  /** Toolsets of the agents whose files name no tools, beside every registered tool. Default: none. */
  readonly inheritedToolsets?: readonly string[];
};

/** A definition on its way. */
export type Draft = { -readonly [Key in keyof AgentDefinition]: AgentDefinition[Key] };

/** Fields of Claude Code and gemini-cli that mean something there and nothing here so far. */
const withoutEffect: ReadonlySet<string> = new Set([
  'hooks',
  'memory',
  'background',
  'isolation',
  'permissionMode',
  'omitClaudeMd',
  'color',
  'initialPrompt',
  'kind',
]);

/** Sets a field in the draft; returns why the field, or a part of it, has no effect, or null. */
export function takeField(
  field: string,
  value: unknown,
  options: AgentFileOptions,
  draft: Draft,
): string | null {
  switch (field) {
    case 'name':
    case 'description':
    case 'tools':
    case 'disallowedTools':
    case 'mcpServers':
      // Taken apart from the others.
      return null;
    case 'model':
      return takeModel(value, options.models ?? {}, draft);
    case 'skills':
      return takeSkills(value, options.skills, draft);
    case 'maxTurns':
    case 'max_turns':
      return takeSetting('maxTurns', value, draft);
    case 'timeout_mins':
      return takeSetting(
        'totalTimeoutMs',
        typeof value === 'number' ? value * 60_000 : value,
        draft,
      );
    case 'temperature':
    case 'effort':
      return takeSetting(field, value, draft);
    case 'approval':
      return takeApproval(value, options.tools ?? [], draft);
    default:
      return withoutEffect.has(field)
        ? `${field} has no effect here yet`
        : `${describe(field)} is no known field and has no effect`;
  }
}

function takeSetting(
  setting: 'maxTurns' | 'totalTimeoutMs' | 'temperature' | 'effort' | 'approval',
  value: unknown,
  draft: Draft,
): string | null {
  if (draft[setting] !== undefined) return `another field says ${setting} already`;
  const { success, data, error } = agentSchema.shape[setting].safeParse(value);
  if (success && data !== undefined) {
    Object.assign(draft, { [setting]: data });
    return null;
  }
  return `${setting} is ${describe(value)}: ${error?.issues[0]?.message ?? 'expected a value'}`;
}

/** A requirement that cannot be read must not be lost: everything needs approval then. */
function takeApproval(value: unknown, tools: readonly Named[], draft: Draft): string | null {
  const why = takeSetting('approval', value, draft);
  if (why === null) {
    const require = approvalPatterns(draft.approval?.require ?? [], new Set(namesOf(tools)));
    draft.approval = { require };
    return null;
  }
  draft.approval = { require: ['*'] };
  return `${why}; every tool needs approval instead`;
}

function takeModel(
  value: unknown,
  models: Readonly<Record<string, ModelRef>>,
  draft: Draft,
): string | null {
  if (value === 'inherit') return null;
  const name = typeof value === 'string' ? value.trim() : '';
  const alias = Object.hasOwn(models, name) ? models[name] : undefined;
  if (alias !== undefined) draft.model = alias;
  else if (name === 'offline' || /^(anthropic|openai):\S+$/.test(name)) draft.model = name;
  else if (/^claude-\S+$/.test(name)) draft.model = `anthropic:${name}`;
  else {
    return `model is ${describe(value)}, which models says nothing of; the supervisor’s is used`;
  }
  return null;
}

function takeSkills(
  value: unknown,
  known: readonly Named[] | undefined,
  draft: Draft,
): string | null {
  const entries = entriesOfList(value);
  if (entries === null) return `skills is ${describe(value)}: expected names`;
  const names = known === undefined ? entries : namesOf(known);
  const skills = [...new Set(entries)].filter((name) => names.includes(name));
  if (skills.length > 0) draft.skills = skills;
  const missing = entries.filter((name) => !skills.includes(name));
  if (missing.length === 0) return null;
  return `there is no skill ${missing.map(describe).join(', ')}, and the agent goes without`;
}

export function namesOf(all: readonly Named[]): readonly string[] {
  return all.map((each) => (typeof each === 'string' ? each : each.name));
}
