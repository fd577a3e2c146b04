// Owns text in columns: how wide it is on a terminal, how it is cut and padded, what may not reach the screen. Pure.
import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();
/** More than letters take, marks included: a segmenter copies all of a text for each of its letters. */
const unitsPerColumn = 16;

// A file name or a model's text must not move the cursor.
const controls = /\p{Cc}+/gu;

/** Columns that the text takes; for text without styles. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** A text that is long beyond doubt is not measured: that too takes time with the square of its length. */
function fits(text: string, width: number): boolean {
  return text.length <= width * unitsPerColumn && widthOf(text) <= width;
}

/** The text on one line, with nothing in it that a terminal would obey. */
export function oneLine(text: string): string {
  return text.replace(controls, ' ').trim();
}

/** The text, cut to at most `width` columns; what was cut ends in `…`. */
export function clip(text: string, width: number): string {
  if (fits(text, width)) return text;
  if (width < 1) return '';
  let kept = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text.slice(0, width * unitsPerColumn))) {
    taken += widthOf(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Like `clip`, but keeps the end, which distinguishes paths. */
export function clipStart(text: string, width: number): string {
  if (fits(text, width)) return text;
  if (width < 1) return '';
  let kept = '';
  let taken = 0;
  for (const { segment } of [...graphemes.segment(text.slice(-width * unitsPerColumn))].reverse()) {
    taken += widthOf(segment);
    if (taken > width - 1) break;
    kept = segment + kept;
  }
  return `…${kept}`;
}

const maxLabel = 200;

/** What a task is called that has no name of its own: the beginning of what it is asked, on one line. */
export function labelOf(goal: string): string {
  return clip(oneLine(goal), maxLabel);
}

/** Fills up with blanks to `width` columns; wider text is returned unchanged. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}
