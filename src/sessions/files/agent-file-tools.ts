// Owns what the tool names of agent files mean here: which toolsets they name, and what of those is denied again. Pure.
import { parsePattern } from '../../tools/builtin/terminal/command-patterns.ts';

/** The tools of an agent, as fields of its definition. */
export type FileTools = {
  /** Undefined: every registered tool. */
  readonly tools?: readonly string[];
  readonly toolsets?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Commands that its terminal runs; undefined: any. */
  readonly allowedCommands?: readonly string[];
  /** Agents it may start by the tool `Agent`; undefined: any. */
  readonly delegates?: readonly string[];
  /** Entries without effect, by their field. */
  readonly leftOver: {
    readonly tools: readonly string[];
    readonly disallowedTools: readonly string[];
  };
  readonly remarks: readonly { readonly field: string; readonly message: string }[];
};

/** Which tools each toolset of ours has that these names can ask a part of. */
const toolsets: readonly (readonly [toolset: string, tools: readonly string[]])[] = [
  ['file', ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write']],
  ['terminal', ['terminal']],
  ['web', ['web_fetch', 'web_search']],
  ['todo', ['todo_write']],
];

/** The names that files for Claude Code use, and the tool that does it here. */
export const equivalents: ReadonlyMap<string, string> = new Map([
  ['Read', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Grep', 'grep'],
  ['Glob', 'glob'],
  ['LS', 'list'],
  ['Bash', 'terminal'],
  ['WebFetch', 'web_fetch'],
  ['WebSearch', 'web_search'],
  ['TodoWrite', 'todo_write'],
]);

const terminal = 'terminal';
const builtinNames: ReadonlySet<string> = new Set(toolsets.flatMap(([, tools]) => tools));

/** Entries of a list, or of a text with commas; commas in parentheses part nothing. Null for anything else. */
export function entriesOfList(value: unknown): readonly string[] | null {
  if (value === null) return [];
  const texts = typeof value === 'string' ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(texts)) return null;
  const entries: string[] = [];
  for (const text of texts) {
    if (typeof text !== 'string') return null;
    if (text.trim() !== '') entries.push(text.trim());
  }
  return entries;
}

/**
 * `tools` undefined means all that are registered and the toolsets of `inherited`. A name of `registered` is that tool;
 * other names mean tools of ours or nothing. `Bash(git:*)` grants the terminal for such commands. Any other name with a
 * pattern grants nothing, since the whole tool would be more than was granted. A pattern denies the whole tool, since a
 * part cannot be denied.
 */
export function fileTools(
  asked: { readonly tools: readonly string[] | undefined; readonly disallowed: readonly string[] },
  registered: ReadonlySet<string>,
  inherited: readonly string[],
): FileTools {
  const granted = asked.tools?.includes('*') === true ? undefined : asked.tools;
  const grants = sortGrants(granted ?? [], registered);
  const denials = sortDenials(asked.disallowed, registered);
  const named = toolsets.filter(([, tools]) => tools.some((tool) => grants.builtin.has(tool)));
  const rest = named.flatMap(([, tools]) =>
    tools.filter((tool) => !grants.builtin.has(tool) && !grants.own.has(tool)),
  );
  const names = granted === undefined ? inherited : named.map(([toolset]) => toolset);
  const denied = [...new Set([...rest, ...denials.denied])];
  return {
    ...(granted === undefined ? {} : { tools: [...grants.own] }),
    ...(names.length === 0 ? {} : { toolsets: names }),
    ...(denied.length === 0 ? {} : { disallowedTools: denied }),
    ...(grants.commands === undefined ? {} : { allowedCommands: grants.commands }),
    ...(grants.delegates.size === 0 ? {} : { delegates: [...grants.delegates] }),
    leftOver: { tools: grants.leftOver, disallowedTools: denials.leftOver },
    remarks: [...grants.remarks, ...denials.remarks],
  };
}

type Remarks = { readonly field: string; readonly message: string }[];

function sortGrants(entries: readonly string[], registered: ReadonlySet<string>) {
  const own = new Set<string>();
  const builtin = new Set<string>();
  const delegates = new Set<string>();
  const commands = new Set<string>();
  const leftOver: string[] = [];
  const remarks: Remarks = [];
  for (const entry of entries) {
    const tool = ours(entry);
    const [, name = entry, pattern] = withPattern.exec(entry) ?? [];
    const whole = toolsets.find(([toolset]) => toolset === entry);
    if (spawning.has(name) && registered.has('Agent')) {
      for (const each of agentTools) if (registered.has(each)) own.add(each);
      for (const each of entriesOfList(pattern?.slice(1, -1)) ?? []) delegates.add(each);
    } else if (registered.has(entry)) own.add(entry);
    else if (whole !== undefined) for (const each of whole[1]) builtin.add(each);
    else if (tool !== null) builtin.add(tool);
    else if (isShell(name, registered) && anyCommand.has(pattern ?? '')) builtin.add(terminal);
    else {
      const command = isShell(name, registered) ? (pattern?.slice(1, -1).trim() ?? '') : null;
      const parsed = command === null ? null : parsePattern(command);
      if (command !== null && parsed?.type !== 'invalid') commands.add(command);
      else {
        leftOver.push(entry);
        const why = parsed?.type === 'invalid' ? `${entry}: ${parsed.why}` : whyNothing(entry);
        remarks.push({ field: 'tools', message: `${why}; it grants nothing` });
      }
    }
  }
  // The whole tool may be named beside a part of it.
  const isPart = commands.size > 0 && !builtin.has(terminal);
  if (isPart) builtin.add(terminal);
  return {
    own,
    builtin,
    delegates,
    commands: isPart ? [...commands] : undefined,
    leftOver,
    remarks,
  };
}

function sortDenials(entries: readonly string[], registered: ReadonlySet<string>) {
  const denied: string[] = [];
  const leftOver: string[] = [];
  const remarks: Remarks = [];
  for (const entry of entries) {
    const [, name = entry, pattern] = withPattern.exec(entry) ?? [];
    const tool = registered.has(name) ? name : ours(name);
    const whole = toolsets.find(([toolset]) => toolset === entry);
    if (spawning.has(name) && pattern === undefined && !registered.has(name)) {
      denied.push('tag:delegation');
    } else if (spawning.has(name)) {
      leftOver.push(entry);
      remarks.push({
        field: 'disallowedTools',
        message: `${whyNothing(entry)}; it denies nothing`,
      });
    } else if (whole !== undefined && !registered.has(name)) denied.push(...whole[1]);
    else if (tool === null) {
      // A denial is kept whatever it names: the tool may be one that is not listed here.
      denied.push(entry);
      const message = `there is no tool ${entry} here that this name is known to mean; it is denied by this name alone`;
      remarks.push({ field: 'disallowedTools', message });
    } else {
      denied.push(tool);
      // It would do what is denied.
      if (doesAsWell(tool)) denied.push('apply_patch');
      if (pattern !== undefined) {
        const message = `${entry} denies the whole tool ${tool}: a part of a tool cannot be denied`;
        remarks.push({ field: 'disallowedTools', message });
      }
    }
  }
  return { denied, leftOver, remarks };
}

/**
 * The patterns of required approvals as they are meant here: a name for Claude Code is that of the tool that does it, as in
 * `tools`, and of what else could do the same. A name of `registered`, and any other, stays as it is.
 */
export function approvalPatterns(
  patterns: readonly string[],
  registered: ReadonlySet<string>,
): readonly string[] {
  const meant = patterns.flatMap((pattern) => {
    const tool = equivalents.get(pattern);
    if (registered.has(pattern)) return [pattern];
    if (spawning.has(pattern)) return ['tag:delegation'];
    if (tool === undefined) return [pattern];
    return doesAsWell(tool) ? [tool, 'apply_patch'] : [tool];
  });
  return [...new Set(meant)];
}

/** The tool `apply_patch` does what this one does. */
function doesAsWell(tool: string): boolean {
  return tool === 'write' || tool === 'edit';
}

const withPattern = /^([^(]+?)\s*(\(.*\))$/s;
/** Patterns that mean the whole shell. */
const anyCommand: ReadonlySet<string> = new Set(['(*)', '(:*)']);
const spawning: ReadonlySet<string> = new Set(['Agent', 'Task']);
/** What starting agents takes, where the program has registered it. */
const agentTools: readonly string[] = ['Agent', 'TaskOutput', 'SendMessage', 'TaskStop'];

function ours(name: string): string | null {
  return equivalents.get(name) ?? (builtinNames.has(name) ? name : null);
}

/** True for the shell of Troupe, by a name that no tool of the program has. */
function isShell(name: string, registered: ReadonlySet<string>): boolean {
  return ours(name) === terminal && !registered.has(name) && !registered.has(terminal);
}

function whyNothing(entry: string): string {
  const [, name = entry, pattern] = withPattern.exec(entry) ?? [];
  if (spawning.has(name))
    return `${entry} is kept as metadata: the tools of agentTools() are not registered`;
  if (pattern !== undefined && ours(name) !== null) {
    return `${entry} would be the whole tool ${ours(name)}: patterns are known for commands alone`;
  }
  return `there is no tool ${entry} here`;
}
