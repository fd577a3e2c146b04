// Owns exact replacement in a text: where each edit applies, and why one does not. Pure.
import { lineEndOf, similarPlace } from './text-lines.ts';

/** One exact replacement. */
export type TextEdit = {
  readonly oldText: string;
  readonly newText: string;
  /** Replaces every occurrence; otherwise there must be exactly one. */
  readonly replaceAll?: boolean | undefined;
};

export type EditedText =
  /** `lines`: where something was replaced, from 1, in the order of the edits, each in the text it was applied to. */
  | { readonly type: 'edited'; readonly text: string; readonly lines: readonly number[] }
  /** `index`: the edit that does not apply. */
  | { readonly type: 'refused'; readonly index: number; readonly why: string };

const maxNamedLines = 10;

/**
 * Applies edits one after the other, each to what those before it made; all or none. None makes more than `maxChars` of the
 * text. A text whose lines all end with CRLF takes edits that are written with LF.
 */
export function editText(
  text: string,
  edits: readonly TextEdit[],
  maxChars: number = Number.POSITIVE_INFINITY,
): EditedText {
  let lines: readonly number[] = [];
  let edited = text;
  for (const [index, edit] of edits.entries()) {
    const { oldText, newText } = withEndingsOf(edited, edit);
    const places = oldText === '' ? [] : placesOf(edited, oldText);
    // Counted before it is made: so many replacements can outgrow the heap of the thread.
    const chars = edited.length + places.length * (newText.length - oldText.length);
    const tooLong = `the file would have ${chars} characters, more than ${maxChars}`;
    const why = refusalOf(edited, edit, places) ?? (chars > maxChars ? tooLong : null);
    if (why !== null) return { type: 'refused', index, why };
    lines = [...lines, ...linesOf(edited, places)];
    edited = edited.split(oldText).join(newText);
  }
  return { type: 'edited', text: edited, lines };
}

function refusalOf(text: string, edit: TextEdit, places: readonly number[]): string | null {
  if (edit.oldText === '') return 'oldText is empty: use the tool write for a whole file';
  if (edit.oldText === edit.newText) return 'oldText and newText are the same';
  if (places.length === 0) {
    const place = similarPlace(text.split('\n'), edit.oldText.trim().split('\n'));
    return place === null || edit.oldText.trim() === ''
      ? 'oldText is not in the file: read the file, and copy the text exactly'
      : `oldText is not in the file; line ${place + 1} begins text that differs from it in white space alone`;
  }
  if (places.length === 1 || edit.replaceAll === true) return null;
  const lines = linesOf(text, places.slice(0, maxNamedLines)).join(', ');
  const more = places.length > maxNamedLines ? ', …' : '';
  return `oldText is in the file ${places.length} times, at lines ${lines}${more}: make it longer, or set replaceAll`;
}

/** Where a text is found, from left to right, no two overlapping. */
function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    places.push(at);
  }
  return places;
}

/** The lines of ascending places, from 1. */
function linesOf(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  // Searched for once each: a line may be as long as the text.
  let next = text.indexOf('\n');
  return places.map((place) => {
    while (next !== -1 && next < place) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  });
}

function withEndingsOf(text: string, { oldText, newText }: TextEdit): TextEdit {
  if (lineEndOf(text) === '\n' || oldText.includes('\r')) return { oldText, newText };
  return { oldText: withCrlf(oldText), newText: withCrlf(newText) };
}

function withCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}
