// Owns what the hunks of a patch make of a text: where each one applies, and why one does not. Pure.
import type { Hunk } from './parse-patch.ts';
import { lineEndOf, similarPlace } from './text-lines.ts';

export type PatchedText =
  | { readonly type: 'patched'; readonly text: string }
  /** `index`: the hunk that does not apply. */
  | { readonly type: 'refused'; readonly index: number; readonly why: string };

const maxNamedLines = 10;

/** Applies hunks from the beginning to the end of a text, each behind the one before; all or none. */
export function applyHunks(text: string, hunks: readonly Hunk[]): PatchedText {
  const lineEnd = lineEndOf(text);
  let lines: readonly string[] = text.split(lineEnd);
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(lines, hunk, from);
    if (typeof place === 'string') return { type: 'refused', index, why: place };
    lines = [...lines.slice(0, place), ...hunk.after, ...lines.slice(place + hunk.before.length)];
    from = place + hunk.after.length;
  }
  return { type: 'patched', text: lines.join(lineEnd) };
}

/** The line, from 0, at which a hunk applies, or why it does not. */
function placeOf(lines: readonly string[], hunk: Hunk, from: number): number | string {
  const start = behindAnchors(lines, hunk.anchors, from);
  if (typeof start === 'string') return start;
  const end = lastLine(lines);
  if (hunk.before.length === 0) return hunk.anchors.length > 0 && !hunk.isAtEnd ? start : end;
  const places: number[] = [];
  for (let at = start; at + hunk.before.length <= end; at += 1) {
    const isEnough = !hunk.isAtEnd || at + hunk.before.length >= end;
    if (isEnough && hunk.before.every((line, next) => line === lines[at + next])) places.push(at);
  }
  const [first] = places;
  if (first === undefined) return whyNone(lines.slice(0, end), hunk);
  if (places.length === 1 || hunk.anchors.length > 0) return first;
  const named = places.slice(0, maxNamedLines).map((place) => place + 1);
  const more = places.length > maxNamedLines ? ', …' : '';
  return `its lines are in the file ${places.length} times, at lines ${named.join(', ')}${more}: give more lines around the change, or the line of its function behind "@@"`;
}

function behindAnchors(
  lines: readonly string[],
  anchors: readonly string[],
  from: number,
): number | string {
  let start = from;
  for (const anchor of anchors) {
    const exact = lines.findIndex((line, at) => at >= start && line.trim() === anchor);
    const found =
      exact === -1 ? lines.findIndex((line, at) => at >= start && line.includes(anchor)) : exact;
    if (found === -1) return `there is no line "${anchor}" behind line ${start}`;
    start = found + 1;
  }
  return start;
}

/** A text that ends with a line end has an empty last line, behind which nothing is put. */
function lastLine(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

function whyNone(lines: readonly string[], { before, isAtEnd }: Hunk): string {
  const similar = similarPlace(lines, before);
  if (similar === null) {
    return `its lines are not in the file: read the file, and copy them exactly; the first is "${before[0]}"`;
  }
  const exact = before.every((line, next) => line === lines[similar + next]);
  if (!exact)
    return `line ${similar + 1} begins lines that differ from its own in white space alone`;
  const where = isAtEnd ? 'not at the end of the file' : 'before the hunk above it';
  return `its lines are at line ${similar + 1}, ${where}`;
}
