// Owns which tools an agent may use (X7): one pure resolver, asked at spawn and again at each call. Runs no tool.
import { describe, type Failure, failure, TroupeError } from '../errors.ts';
import type { Toolset } from './toolsets.ts';

/** What the resolver needs of a tool: a description from another thread will do. */
export type Grantable = { readonly name: string; readonly tags: readonly string[] };

export type GrantRequest<T extends Grantable> = {
  /** Every tool registered on the supervisor, in order of registration. */
  readonly registered: readonly T[];
  /** Names the definition or task asks for. Undefined means every registered tool, an empty list none. */
  readonly declared?: readonly string[] | undefined;
  /** The toolsets asked for, as `findToolsets` gives them. None unless named. */
  readonly toolsets?: readonly Toolset<T>[];
  /** Names, or `tag:…` for every tool with that tag. A name that no tool has denies nothing. */
  readonly denied?: readonly string[];
  /** Names added although nobody asked for them, beyond the parent's rights too; only a denial wins over them (A10). */
  readonly granted?: readonly string[] | undefined;
  /** Names of what the parent may use; undefined for a root. A child never holds more, but for what is granted. */
  readonly parentRights?: ReadonlySet<string> | undefined;
};

const tagPrefix = 'tag:';

/**
 * The effective tools: ((parent's rights ∩ declared) ∪ granted) − denied, deny always wins. The order is that of registration,
 * then that of the toolsets, whatever the order of the names: prompts stay byte-identical.
 * Throws `invalid_tool` when two tools share a name, `unknown_tool` when a declared or granted name belongs to none.
 */
export function resolveGrants<T extends Grantable>(request: GrantRequest<T>): readonly T[] {
  const { registered, declared, toolsets = [], denied = [], parentRights } = request;
  const granted = new Set(request.granted);
  const fromToolsets = toolsets.flatMap((toolset) => toolset.tools);
  const known = [...registered, ...fromToolsets];
  checkUniqueNames(known);
  const asked = declared === undefined ? null : new Set(declared);
  checkKnown('tools', asked ?? [], known);
  checkKnown('grantedTools', granted, known);
  const denials = new Set(denied);
  const isAsked = (tool: T): boolean =>
    asked === null || asked.has(tool.name) || fromToolsets.includes(tool);
  const isHeld = (tool: T): boolean => parentRights === undefined || parentRights.has(tool.name);
  return known.filter(
    (tool) =>
      (granted.has(tool.name) || (isAsked(tool) && isHeld(tool))) && !isDenied(tool, denials),
  );
}

/** Why a call of this name is refused, or null when it is granted. The text tells the model what it may call. */
export function refuseCall(name: string, granted: readonly Grantable[]): Failure | null {
  if (granted.some((tool) => tool.name === name)) return null;
  return failure(
    'tool_denied',
    `There is no tool ${describe(name)} here. ${existing('Your tools', granted)}`,
  );
}

function checkUniqueNames(tools: readonly Grantable[]): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) {
      throw new TroupeError('invalid_tool', `two tools are named ${describe(name)}; rename one`);
    }
    seen.add(name);
  }
}

function checkKnown(field: string, asked: Iterable<string>, known: readonly Grantable[]): void {
  const names = new Set(known.map((tool) => tool.name));
  for (const name of asked) {
    if (names.has(name)) continue;
    throw new TroupeError(
      'unknown_tool',
      `${field} names ${describe(name)}, which is not registered. ${existing('Registered', known)}`,
    );
  }
}

function existing(title: string, tools: readonly Grantable[]): string {
  const names = tools.map((tool) => tool.name);
  return names.length === 0 ? `${title}: none.` : `${title}: ${names.join(', ')}.`;
}

function isDenied(tool: Grantable, denials: ReadonlySet<string>): boolean {
  return denials.has(tool.name) || tool.tags.some((tag) => denials.has(`${tagPrefix}${tag}`));
}
