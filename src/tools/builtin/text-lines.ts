// Owns how the lines of a text end, and where lines are that differ from others in white space alone. Pure.

/** `\r\n` of a text that ends all of its lines so, else `\n`. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text) ? '\r\n' : '\n';
}

/** The first line, from 0, at which `part` is but for white space around its lines; null when there is none. */
export function similarPlace(lines: readonly string[], part: readonly string[]): number | null {
  const wanted = part.map((line) => line.trim());
  const found = lines.findIndex((_, at) =>
    wanted.every((line, next) => line === lines[at + next]?.trim()),
  );
  return found === -1 ? null : found;
}
