// Owns the answer of a single goal as the screen shows it. Pure.
import { oneLine } from './text.ts';

/** The text between blank lines; nothing of a text that is empty. */
export function answerLines(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const lines = text.trimEnd().split('\n');
  // Indentation is part of the answer; other control characters, which a terminal would obey, are not.
  return ['', ...lines.map((line) => `${/^[ \t]*/.exec(line)?.[0] ?? ''}${oneLine(line)}`), ''];
}
