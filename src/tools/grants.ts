// Owns which tools an agent may use (X7): one pure resolver, asked at spawn and again at each call. Runs no tool.
import { describe, type Failure, failure, TroupeError } from '../base/failures.ts';
import { toolHint } from './tool-names.ts';
import { matcherOf } from './tool-patterns.ts';
import type { Toolset } from './toolset.ts';

/** What the resolver needs of a tool: a description from another thread will do. */
export type Grantable = {
  readonly name: string;
  readonly tags: readonly string[];
  /** What it is, wherever it is named: two of one name are the same tool when they are the same object. */
  readonly object?: unknown;
};

export type GrantRequest<T extends Grantable> = {
  /** Every tool there is beside the toolsets asked for: those registered on the supervisor, in their order, then others. */
  readonly registered: readonly T[];
  /** Names the definition or task asks for. Undefined means every registered tool, an empty list none. */
  readonly declared?: readonly string[] | undefined;
  /** The toolsets asked for, as `findToolsets` gives them. None unless named. */
  readonly toolsets?: readonly Toolset<T>[];
  /** Every toolset there is: an error names the one that a wrong name belongs to. */
  readonly knownToolsets?: readonly Toolset<T>[];
  /** Names, names with `*`, or `tag:…` for every tool with that tag. A name that no tool has denies nothing. */
  readonly denied?: readonly string[];
  /** What any agent above was denied; it applies to the whole tree below. */
  readonly deniedAbove?: readonly string[] | undefined;
  /** Names it may have and no others, whatever grants them. Undefined for no such bound. */
  readonly allowed?: readonly string[] | undefined;
  /** Names added unasked, beyond the parent's rights too; only `allowed` and denials limit them (A10). */
  readonly granted?: readonly string[] | undefined;
  /** Names that the operator gives to the agent here, whatever its parent may use. */
  readonly lent?: ReadonlySet<string> | undefined;
  /** Names of what the parent may use; undefined for a root. */
  readonly parentRights?: ReadonlySet<string> | undefined;
};

/** A tool that was asked for and not granted, for no reason of its own definition. */
export type Withheld<T extends Grantable> = {
  readonly tool: T;
  /** The agent that asks does not have it, or an agent above is denied it. */
  readonly why: 'not_held' | 'denied_above';
};

type Verdict = 'granted' | 'not_asked' | 'denied' | Withheld<Grantable>['why'];

/**
 * The effective tools: ((asked ∩ (the parent's rights ∪ lent)) ∪ granted) ∩ allowed − denied, where the denials of every agent
 * above count, and deny always wins (X7). The order is that of registration, then that of the toolsets, whatever the order of
 * the names: prompts stay byte-identical.
 * Throws `invalid_tool` when two tools share a name, `unknown_tool` when a declared or granted name belongs to none.
 */
export function resolveGrants<T extends Grantable>(request: GrantRequest<T>): readonly T[] {
  return judge(request).flatMap(({ tool, verdict }) => (verdict === 'granted' ? [tool] : []));
}

/**
 * What was asked for by name, or as a toolset, and is kept back because of an agent above; in the order of the tools.
 * What a definition denies itself is not among it, nor what was not named.
 */
export function withheldTools<T extends Grantable>(
  request: GrantRequest<T>,
): readonly Withheld<T>[] {
  const named = new Set([...(request.declared ?? []), ...(request.granted ?? [])]);
  for (const { name } of (request.toolsets ?? []).flatMap(({ tools }) => tools)) named.add(name);
  return judge(request).flatMap(({ tool, verdict: why }) => {
    if (why !== 'not_held' && why !== 'denied_above') return [];
    return named.has(tool.name) ? [{ tool, why }] : [];
  });
}

function judge<T extends Grantable>(
  request: GrantRequest<T>,
): readonly { readonly tool: T; readonly verdict: Verdict }[] {
  const { registered, declared, toolsets = [], parentRights, lent } = request;
  const { knownToolsets = [] } = request;
  const granted = new Set(request.granted);
  const fromToolsets = toolsets.flatMap((toolset) => toolset.tools);
  const known = checkUniqueNames([...registered, ...fromToolsets]);
  const opened = new Set(fromToolsets.map(({ name }) => name));
  const asked = declared === undefined ? null : new Set(declared);
  checkKnown('tools', asked ?? [], known, knownToolsets);
  checkKnown('grantedTools', granted, known, knownToolsets);
  const isDenied = matcherOf(request.denied ?? []);
  const isDeniedAbove = matcherOf(request.deniedAbove ?? []);
  const allowed = request.allowed === undefined ? null : new Set(request.allowed);
  const verdictOn = (tool: T): Verdict => {
    const { name } = tool;
    const isGranted = granted.has(name);
    if (!isGranted && asked !== null && !asked.has(name) && !opened.has(name)) {
      return 'not_asked';
    }
    if (isDenied(tool) || allowed?.has(name) === false) return 'denied';
    if (isDeniedAbove(tool)) return 'denied_above';
    if (isGranted || parentRights === undefined) return 'granted';
    return parentRights.has(name) || lent?.has(name) === true ? 'granted' : 'not_held';
  };
  return known.map((tool) => ({ tool, verdict: verdictOn(tool) }));
}

/** Why a call of this name is refused, or null when it is granted. The text names the tools that the model may call. */
export function refuseCall(name: string, granted: readonly Grantable[]): Failure | null {
  if (granted.some((tool) => tool.name === name)) return null;
  return failure(
    'tool_denied',
    `There is no tool ${describe(name)} here. ${existing('Your tools', granted)}`,
  );
}

/** The tools, each once. Throws `invalid_tool` when two different ones share a name; `where` names their source. */
export function checkUniqueNames<T extends Pick<Grantable, 'name' | 'object'>>(
  tools: readonly T[],
  where?: string,
): readonly T[] {
  const seen = new Map<string, T>();
  for (const tool of tools) {
    const { name, object = tool } = tool;
    const known = seen.get(name) ?? tool;
    if ((known.object ?? known) !== object) {
      const what = where === undefined ? 'two tools' : `${where}: two`;
      throw new TroupeError('invalid_tool', `${what} are named ${describe(name)}; rename one`);
    }
    seen.set(name, known);
  }
  return [...seen.values()];
}

function checkKnown(
  field: string,
  asked: Iterable<string>,
  known: readonly Grantable[],
  toolsets: readonly Toolset<Grantable>[],
): void {
  const names = new Set(known.map((tool) => tool.name));
  for (const name of asked) {
    if (names.has(name)) continue;
    const hint = toolHint(name, known, toolsets);
    throw new TroupeError(
      'unknown_tool',
      `${field} names ${describe(name)}, which is not registered. ${existing('Registered', known)}${hint}`,
    );
  }
}

function existing(title: string, tools: readonly Grantable[]): string {
  const names = tools.map((tool) => tool.name);
  return names.length === 0 ? `${title}: none.` : `${title}: ${names.join(', ')}.`;
}
