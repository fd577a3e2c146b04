// Owns the patterns that tools are named by in lists: a name, a name with `*`, `tag:…` for a tag. Pure.

/** What a pattern is compared with. */
type Tagged = { readonly name: string; readonly tags: readonly string[] };

const tagPrefix = 'tag:';
const wildcard = '*';

/** True for a text that can name a tool: other texts name none, however long one waits. */
export function isToolPattern(text: string): boolean {
  return /^(?:tag:\S(?:.*\S)?|[A-Za-z0-9_*-]+)$/.test(text);
}

/** True for a pattern that is the name of one tool. */
export function isPlainName(pattern: string): boolean {
  return !pattern.startsWith(tagPrefix) && !pattern.includes(wildcard);
}

/** Tells whether one of the patterns names a tool; `*` stands for any characters of a name, or none. */
export function toolMatcher(patterns: Iterable<string>): (tool: Tagged) => boolean {
  const exact = new Set(patterns);
  const open = [...exact].filter(isOpen).map((pattern) => pattern.split(wildcard));
  return ({ name, tags }) =>
    exact.has(name) ||
    tags.some((tag) => exact.has(`${tagPrefix}${tag}`)) ||
    open.some((parts) => fits(parts, name));
}

function isOpen(pattern: string): boolean {
  return !pattern.startsWith(tagPrefix) && pattern.includes(wildcard);
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
