// Owns which tools a managed subagent has: the two lists of the source and what they mean for a definition. Pure (A9, A39).
import type { AgentDefinition } from '../../agent/definition.ts';
import { describe, TroupeError } from '../../base/failures.ts';

/** The lists by which a manager adds to what a subagent was assigned, and takes from it. The names are those of the source. */
export type ToolLists = {
  /** Never in a subagent's tools, even on request; `tools_blacklist`. Names, or `tag:…`. */
  readonly blacklist: readonly string[];
  /** In every subagent's tools, without a request; `tools_inherent`. */
  readonly inherent: readonly string[];
};

/** The default lists (A9, A10). */
export const defaultToolLists: ToolLists = {
  blacklist: [
    'broadcast_shared_context',
    'create_subagent',
    'manage_subagent_protection',
    'reset_subagent',
    'remove_subagent',
    'list_subagents',
    'wait_for_subagent',
    'view_shared_context',
  ],
  inherent: ['astrbot_execute_shell', 'astrbot_execute_python'],
};

/** The tool by which a subagent posts to the board. */
const boardPost = 'send_shared_context';
/** Not offered to any agent while there is no board (A13). */
export const boardTools: readonly string[] = [
  boardPost,
  'broadcast_shared_context',
  'view_shared_context',
];

/** The lists with another tool that no subagent has: `register_blacklisted_tool`. Existing agents keep theirs (A18). */
export function registerBlacklistedTool(lists: ToolLists, name: string): ToolLists {
  return { ...lists, blacklist: joined(lists.blacklist, name) };
}

/** The lists with one more tool that every subagent has: `register_inherent_tool`. Existing agents lack it (A18). */
export function registerInherentTool(lists: ToolLists, name: string): ToolLists {
  return { ...lists, inherent: joined(lists.inherent, name) };
}

function joined(names: readonly string[], name: string): readonly string[] {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new TroupeError('invalid_options', `a tool's name is ${describe(name)}`);
  }
  return names.includes(name) ? names : [...names, name];
}

/** The requested tools without those that no subagent may have (A31). */
export function allowedOf(asked: readonly string[], { blacklist }: ToolLists): readonly string[] {
  return asked.filter((name) => !blacklist.includes(name));
}

export type ChildToolsRequest = {
  /** What its creator asked for; null for every registered tool. */
  readonly assigned: readonly string[] | null;
  /** What the place it runs in gives it. */
  readonly runtime: readonly string[];
  readonly lists: ToolLists;
  readonly isBoardOn: boolean;
  /** Names of the tools there are: a list of the manager may name others, which are then passed over. */
  readonly registered: ReadonlySet<string>;
};

/**
 * The tools of a subagent, as its definition passes them to the resolver: assigned ones, and as granted the runtime
 * and inherent ones and the board's, if any; without the blacklist, which wins (A31, A39). An assigned tool that is not
 * allowed is dropped silently; the resolver refuses an assigned tool that does not exist, with `unknown_tool`.
 */
export function childTools(
  request: ChildToolsRequest,
): Pick<AgentDefinition, 'tools' | 'grantedTools' | 'disallowedTools'> {
  const { assigned, runtime, lists, isBoardOn, registered } = request;
  const denied = isBoardOn ? lists.blacklist : [...new Set([...lists.blacklist, ...boardTools])];
  const isThere = (name: string): boolean => registered.has(name);
  // A name on the blacklist may belong to no tool at all: it is dropped all the same, not refused.
  const asked = assigned?.filter((name) => !denied.includes(name));
  const given = [...runtime, ...lists.inherent, ...(isBoardOn ? [boardPost] : [])].filter(isThere);
  return {
    ...(asked === undefined ? {} : { tools: [...new Set(asked)] }),
    grantedTools: [...new Set(given)],
    disallowedTools: denied,
  };
}
