// Owns what an agent may use: collects the settings, asks the one resolver of grants, keeps the result. Pure (X7).
import type { AgentDefinition, ToolReference } from '../../agent/definition.ts';
import { isTrustedTask } from '../../agent/trusted-task.ts';
import { TroupeError } from '../../base/failures.ts';
import type { TakenTools } from '../../protocol/profile-rights.ts';
import type { AllowedCommands } from '../../tools/builtin/terminal/allowed-commands.ts';
import { type GrantRequest, resolveGrants, withheldTools } from '../../tools/grants.ts';
import { capabilityTags } from '../../tools/tags.ts';
import { matcherOf } from '../../tools/tool-patterns.ts';
import { findToolsets } from '../../tools/toolsets.ts';
import type { RunSettings } from '../task.ts';
import type { KnownTool } from './known-tool.ts';
import type { Settings } from './settings.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** What an agent may use, and what of it goes down the tree. */
export type Rights = {
  readonly tools: readonly KnownTool[];
  /** The tools of a child that names none: its own tools belong to no other agent. */
  readonly heritable: readonly KnownTool[];
  /** Names of what it may use: what a child asks for is among them, or is not had. */
  readonly names: ReadonlySet<string>;
  /** Denied here or above, for itself and every agent below. */
  readonly denied: readonly string[];
  /** Commands that its terminal runs; empty for any. */
  readonly commands: AllowedCommands;
  /** It may not delegate, whatever its tools do (X6). */
  readonly isLeaf: boolean;
  /** What was asked for and is not granted; for the caller to read. */
  readonly warnings: readonly string[];
};

/** What of an agent's rights those of its children depend on. */
export type CallerRights = Pick<Rights, 'heritable' | 'names' | 'denied' | 'commands'>;

export type RightsRequest = {
  readonly task: RunSettings;
  readonly definition: AgentDefinition;
  readonly settings: Settings;
  readonly catalog: ToolCatalog;
  /** Null for a task of the program, which gives what it names. */
  readonly caller: CallerRights | null;
  /** At this depth no agent delegates. */
  readonly isAtDepthLimit: boolean;
  /** What its profile takes away. */
  readonly taken: readonly TakenTools[];
};

const delegationTag = `tag:${capabilityTags.delegation}`;
const shellTag = capabilityTags.terminal;

/**
 * What the program names is granted: in a task of its own, in an agent it registered or defined. What else a tool asks for is
 * within its caller's rights. A child that has no definition and no request for tools has what its caller has.
 */
export function rightsOf(request: RightsRequest): Rights {
  const { settings, caller, isAtDepthLimit } = request;
  const { role, disallowedTools: own, allowedCommands } = settings;
  const isLeaf = role === 'leaf';
  const ownTools = new Set((settings.ownTools ?? []).map(({ name }) => name));
  const grants = grantsOf(request, [...ownTools]);
  const tools = resolveGrants(grants);
  const lacking = takenInVain(request, grants);
  if (caller === null && lacking.isRefused) {
    throw new TroupeError('profile_denied', lacking.texts.join('; '));
  }
  const withheld: string[] = withheldTools(grants).map(({ tool: { name }, why }) =>
    why === 'not_held'
      ? `tool "${name}" was left out: the agent that asked for it may not use it`
      : `tool "${name}" was left out: it is denied to an agent above`,
  );
  withheld.push(...lacking.texts);
  if (role === 'orchestrator' && isAtDepthLimit) withheld.push(inName);
  if (isLeaf) withheld.push(...askedInVain(grants, own, 'a leaf may not delegate'));
  else if (isAtDepthLimit)
    withheld.push(...askedInVain(grants, own, 'no agent delegates at this depth'));
  const isWithout = tools.length === 0 && withheld.length === 0 && isBereft(grants);
  return {
    tools,
    heritable: tools.filter(({ name }) => !ownTools.has(name)),
    names: new Set(tools.map(({ name }) => name)),
    denied: [...new Set([...(caller?.denied ?? []), ...own])],
    commands: [
      ...(caller?.commands ?? []),
      ...(allowedCommands === undefined ? [] : [allowedCommands]),
    ],
    isLeaf,
    warnings: isWithout ? [withoutTools] : withheld,
  };
}

function grantsOf(request: RightsRequest, ownTools: readonly string[]): GrantRequest<KnownTool> {
  const { task, definition, settings, catalog, caller, isAtDepthLimit } = request;
  const registered = catalog.registered(definition, settings);
  const toolsets = findToolsets(settings.toolsets, catalog.toolsets, registered);
  const isTrusted = caller === null || isGiven(task.agent);
  const mayDelegate = settings.role !== 'leaf' && !isAtDepthLimit;
  const namesOf = (references: readonly ToolReference[]): readonly string[] =>
    references.flatMap((each) =>
      typeof each === 'string' ? [each] : catalog.of(each).map(({ name }) => name),
    );
  const known = [...registered, ...toolsets.flatMap(({ tools }) => tools)];
  const given = toolsets.filter(({ name }) => definition.toolsets?.includes(name));
  return {
    registered: [...registered, ...inheritedBy(request, known)],
    declared: settings.tools === undefined ? undefined : namesOf(settings.tools),
    toolsets,
    knownToolsets: catalog.toolsets,
    // Who may not delegate is not offered what delegates (C15, C27, X6).
    denied: [
      ...settings.disallowedTools,
      ...(mayDelegate ? [] : [delegationTag]),
      ...request.taken.map(({ pattern }) => pattern),
    ],
    deniedAbove: caller?.denied,
    allowed: settings.allowedTools,
    // A definition's own tools are the service's own code: none crosses from a thread.
    granted: [...(isTrusted ? (settings.grantedTools ?? []) : []), ...ownTools],
    lent: isTrusted
      ? new Set([
          ...namesOf(definition.tools ?? []),
          ...given.flatMap(({ tools }) => tools.map(({ name }) => name)),
        ])
      : undefined,
    parentRights: caller?.names,
  };
}

/** What was named and delegates, and is not had for that reason alone. */
function askedInVain(
  grants: GrantRequest<KnownTool>,
  own: readonly string[],
  why: string,
): readonly string[] {
  const { registered, declared = [], granted = [] } = grants;
  const named = registered.filter(
    ({ name, tags }) =>
      tags.includes(capabilityTags.delegation) &&
      (declared.includes(name) || granted.includes(name)),
  );
  if (named.length === 0) return [];
  const had = resolveGrants({ ...grants, denied: own });
  return named
    .filter((tool) => had.includes(tool))
    .map(({ name }) => `tool "${name}" was left out: ${why}`);
}

/** Tools that were named, or are of a toolset that was, and that the profile alone takes away; refused: nothing is left of it. */
function takenInVain(
  { taken, settings }: RightsRequest,
  grants: GrantRequest<KnownTool>,
): { readonly texts: readonly string[]; readonly isRefused: boolean } {
  const { registered, declared = [], granted = [], toolsets = [] } = grants;
  const grouped = toolsets.flatMap(({ tools }) => tools);
  const named = [
    ...registered.filter(({ name }) => declared.includes(name) || granted.includes(name)),
    ...grouped,
  ];
  const isTaken = (tool: KnownTool) => taken.find(({ pattern }) => matcherOf([pattern])(tool));
  if (!named.some(isTaken)) return { texts: [], isRefused: false };
  const patterns = new Set(taken.map(({ pattern }) => pattern));
  const denied = (grants.denied ?? []).filter((pattern) => !patterns.has(pattern));
  const had = new Set(
    resolveGrants({ ...grants, denied: [...denied, ...settings.disallowedTools] }),
  );
  const lost = named.filter((tool) => had.has(tool) && isTaken(tool) !== undefined);
  const isEmpty = toolsets.some(({ tools }) => tools.every((tool) => lost.includes(tool)));
  const isNamed = lost.some(({ name }) => declared.includes(name) || granted.includes(name));
  const texts = lost.map(
    (tool) => `tool "${tool.name}" was left out: its profile lacks ${isTaken(tool)?.lacks}`,
  );
  return { texts: [...new Set(texts)], isRefused: isEmpty || isNamed };
}

const inName = 'role "orchestrator" has no effect: no agent delegates at this depth';
const withoutTools = 'there is no tool: none was named, and the agent that asked has none to share';

/** It would have tools, were it not for its caller. */
function isBereft(grants: GrantRequest<KnownTool>): boolean {
  if (grants.declared !== undefined || grants.parentRights === undefined) return false;
  return resolveGrants({ ...grants, parentRights: undefined }).length > 0;
}

/** The rights of a loop of the program, which is no agent: all that is registered and every toolset, but no shell. */
export function rightsOfLoop(catalog: ToolCatalog): CallerRights {
  const heritable = catalog.registered();
  const grouped = catalog.toolsets.flatMap(({ tools }) => tools);
  const available = [...heritable, ...grouped.filter(({ tags }) => !tags.includes(shellTag))];
  return { heritable, names: new Set(available.map(({ name }) => name)), denied: [], commands: [] };
}

/** True for an agent that the program registered, and for a definition that is its own. */
function isGiven(agent: RunSettings['agent']): boolean {
  return typeof agent === 'string' || (agent !== undefined && isTrustedTask(agent));
}

/** What a child has of its caller beside what it knows; one that the program registered has nothing so (C14). */
function inheritedBy(
  { task, definition, settings, caller }: RightsRequest,
  known: readonly KnownTool[],
): readonly KnownTool[] {
  if (caller === null || typeof task.agent === 'string' || settings.tools !== undefined) return [];
  const saysToolsets = (task.toolsets ?? definition.toolsets) !== undefined;
  const taken = new Set(known.map(({ name }) => name));
  return caller.heritable.filter(
    ({ name, toolset }) => !taken.has(name) && !(saysToolsets && toolset !== undefined),
  );
}
