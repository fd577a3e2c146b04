// Owns which commands a pattern lets through: `git diff` that command alone, `npm test:*` what begins with it. Pure.
// Whatever cannot be told to be one simple command does not pass by its beginning.
import { describe } from '../../../base/failures.ts';

/** A pattern as it is meant; `invalid` says why it means nothing. */
export type CommandPattern =
  | { readonly type: 'exact'; readonly command: string }
  | { readonly type: 'prefix'; readonly command: string }
  | { readonly type: 'invalid'; readonly why: string };

/** `npm test *` is another way to write `npm test:*`. */
export function parsePattern(pattern: string): CommandPattern {
  const text = pattern.trim();
  const [, prefix] = /^(.*?)(?::|\s+)\*$/s.exec(text) ?? [];
  const command = (prefix ?? text).trim();
  if (command === '') return { type: 'invalid', why: 'it names no command' };
  if (command.includes('*')) {
    return { type: 'invalid', why: 'a * has a meaning at its end alone, as in npm test:*' };
  }
  if (prefix === undefined) return { type: 'exact', command };
  const fault = notSimple(command);
  return fault === null ? { type: 'prefix', command } : { type: 'invalid', why: fault };
}

/** Why none of the patterns lets the command through; null when one does. */
export function refuseCommand(command: string, patterns: readonly string[]): string | null {
  const text = trimmed(command);
  const parsed = patterns.map(parsePattern);
  if (parsed.some((each) => each.type === 'exact' && each.command === text)) return null;
  const prefixes = parsed.flatMap((each) => (each.type === 'prefix' ? [each.command] : []));
  const begun = prefixes.filter((prefix) => text.startsWith(prefix));
  const unsafe = begun.length === 0 ? null : notSimple(text);
  const fits = begun.some((prefix) => /^(?:[ \t]|$)/.test(text.slice(prefix.length)));
  // At the end of a word: `npm test` is no beginning of `npm testing`.
  const fault = unsafe ?? (fits ? null : 'it is none of those allowed');
  if (fault === null) return null;
  return `the command ${describe(text)} was not run: ${fault}. ${allowedText(patterns)}`;
}

/** What a model reads of the patterns. */
export function allowedText(patterns: readonly string[]): string {
  const lines = patterns.map(parsePattern).flatMap((each) => {
    if (each.type === 'invalid') return [];
    return [each.type === 'exact' ? each.command : `${each.command} [arguments]`];
  });
  const shown = lines.map((line) => `\`${line}\``).join(', ') || 'none';
  return `Allowed, one in each call, without pipes, redirections and expansions: ${shown}.`;
}

/** Of all that trim() removes, blanks and line breaks alone are nothing to a shell. */
function trimmed(command: string): string {
  const text = command.trim();
  return /[^ \t\n]/.test(command.replace(text, '')) ? command : text;
}

/** What ends a command, joins it to another, sends its output elsewhere, or runs one inside it. */
const operators: ReadonlySet<string> = new Set([';', '&', '|', '<', '>', '(', ')']);
const expansions: ReadonlySet<string> = new Set(['$', '`']);

/**
 * Why a text is not known to be one simple command; null when it is. It is read as a shell reads it: single quotes hide
 * everything, double quotes all but expansions, and a backslash the character after it.
 */
function notSimple(text: string): string | null {
  // Line breaks end comments and commands; those in quotes are refused with them.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return 'it has line breaks or control characters';
  let quote: "'" | '"' | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === "'") {
      if (char === "'") quote = null;
    } else if (char === '\\') {
      at += 1;
      if (at === text.length) return 'it ends in a backslash';
    } else if (expansions.has(char)) return `it has the expansion ${char}`;
    else if (char === quote) quote = null;
    else if (quote !== null) continue;
    else if (char === "'" || char === '"') quote = char;
    else if (operators.has(char)) return `it has the operator ${char}`;
    else if (char === '#' && /[ \t]/.test(text.charAt(at - 1))) return 'it has a comment';
  }
  return quote === null ? null : `its quote ${quote} is not closed`;
}
