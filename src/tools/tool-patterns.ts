// Owns the patterns that tools are named by in lists: a name, a name with `*`, `tag:…` for a tag. Pure.
import { describe, TroupeError } from '../base/failures.ts';

/** What a pattern is compared with. */
type NamedTool = { readonly name: string; readonly tags: readonly string[] };

const tagPrefix = 'tag:';
const wildcard = '*';

/** The tag that a pattern names; null for one of names. */
export function tagOf(pattern: string): string | null {
  return pattern.startsWith(tagPrefix) ? pattern.slice(tagPrefix.length) : null;
}

/** What a pattern has to be, for errors. */
export const patternHint =
  'expected the name of a tool, a name with * for any characters, or tag:<tag> with the whole tag';

/** True for a text that can name a tool; a `*` in a tag would be a character like any other. */
export function isToolPattern(text: string): boolean {
  return /^(?:tag:[^\s*](?:[^*]*[^\s*])?|[A-Za-z0-9_*-]+)$/.test(text);
}

/** True for a pattern that is the name of one tool. */
export function isPlainName(pattern: string): boolean {
  return tagOf(pattern) === null && !pattern.includes(wildcard);
}

/**
 * Tells whether one of the patterns names a tool: its name, a name with `*` for any characters or none, or `tag:…`. For an
 * `approve` of your own: `({ tool, tags }) => isSafe({ name: tool, tags })`. Throws `invalid_options` for a text that can name no
 * tool.
 */
export function toolMatcher(patterns: readonly string[]): (tool: NamedTool) => boolean {
  const wrong = patterns.find((pattern) => !isToolPattern(pattern));
  if (wrong === undefined) return matcherOf(patterns);
  throw new TroupeError('invalid_options', `${describe(wrong)} is no pattern: ${patternHint}`);
}

/** The same for patterns that were checked, or that may name nothing. */
export function matcherOf(patterns: Iterable<string>): (tool: NamedTool) => boolean {
  const exact = new Set(patterns);
  const open = [...exact].filter(isOpen).map((pattern) => pattern.split(wildcard));
  return ({ name, tags }) =>
    exact.has(name) ||
    tags.some((tag) => exact.has(`${tagPrefix}${tag}`)) ||
    open.some((parts) => fits(parts, name));
}

function isOpen(pattern: string): boolean {
  return tagOf(pattern) === null && pattern.includes(wildcard);
}

/** The name begins with the first part, ends with the last, and has the others between them, in their order. */
function fits(parts: readonly string[], name: string): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
