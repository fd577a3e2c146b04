// Owns how a tool's answer becomes the content of a result: text, content blocks or JSON, and what is cut. Runs nothing.
import { describe, reasonOf, TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import type { ImageBlock, TextBlock, ToolResult } from '../protocol/history.ts';
import { isImageType, maxImageChars } from '../protocol/image.ts';

/** Characters of text that one result may contain, unless set otherwise. */
export const defaultMaxResultChars = 50_000;

/** Of all images of one result: a whole request may not be much larger. */
const maxImagesChars = 20_000_000;

const emptyText = '(no output)';

/** Keeps a text that is cut and returns where; null when it is not kept. */
export type KeepText = (text: string) => string | null;

const keepNothing: KeepText = () => null;

/**
 * The content for what a tool returned, at most `maxChars` of text and 20,000,000 base64 characters of images. A text
 * that is cut states this, and where the whole text is. `cut` is how a text is cut.
 * Throws `tool_failed` when the value is none of text, content blocks and JSON.
 */
export function toContent(
  output: unknown,
  maxChars: number,
  keep: KeepText = keepNothing,
  cut: typeof cutText = cutText,
): ToolResult['content'] {
  if (output === undefined || output === '') return emptyText;
  if (typeof output === 'string') return cut(output, maxChars, keep);
  if (isBlocks(output)) return cutBlocks(output, maxChars, keep, cut);
  return cutText(jsonText(output), maxChars, keep);
}

/** The beginning of a text and a last line that states what is missing, together at most `maxChars` (E10). */
export function cutText(text: string, maxChars: number, keep: KeepText = keepNothing): string {
  if (text.length <= maxChars) return text;
  const path = keep(text);
  const advice = path === null ? 'ask for a smaller part' : `the whole text is in ${path}`;
  const notice = (end: number): string => {
    const lines = count(text.slice(0, end).split('\n').length);
    return `\n[cut: ${count(end)} of ${count(text.length)} characters shown, up to line ${lines}; ${advice}]`;
  };
  // The note of a longer part is never shorter, so the text that it leaves always fits.
  const end = wholeCharacters(text, maxChars - notice(maxChars).length);
  if (end > 0) return `${text.slice(0, end)}${notice(end)}`;
  return `${text.slice(0, wholeCharacters(text, maxChars - 1))}…`;
}

/** The beginning and the end of a text with what is missing between them, together at most `maxChars`: conclusions stand last. */
export function cutMiddle(text: string, maxChars: number, keep: KeepText = keepNothing): string {
  if (text.length <= maxChars) return text;
  return headAndTail(text, maxChars, keep(text));
}

/** The same of a text whose whole is kept at `path`. */
export function headAndTail(text: string, maxChars: number, path: string | null): string {
  if (text.length <= maxChars) return text;
  const where = path === null ? '' : `; the full text is in ${path}`;
  const notice = (end: number, from: number): string =>
    `… [cut: ${count(text.length)} characters in all, ${end} to ${from} left out${where}] …`;
  const available = maxChars - notice(text.length, text.length).length;
  if (available < 2) return `${text.slice(0, wholeCharacters(text, maxChars - 1))}…`;
  const end = wholeCharacters(text, Math.ceil((available * 2) / 3));
  const tail = text.length - (available - end);
  const from = isHighSurrogate(text, tail - 1) ? tail + 1 : tail;
  return `${text.slice(0, end)}${notice(end, from)}${text.slice(from)}`;
}

/** Half a surrogate pair is no character: some providers refuse the whole request for it. */
export function wholeCharacters(text: string, end: number): number {
  return isHighSurrogate(text, end - 1) ? end - 1 : Math.max(end, 0);
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function isBlocks(output: unknown): output is readonly (TextBlock | ImageBlock)[] {
  return Array.isArray(output) && output.length > 0 && output.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['type'] === 'text') return typeof value['text'] === 'string';
  if (value['type'] !== 'image' || !isRecord(value['source'])) return false;
  const { type, media_type: mediaType, data } = value['source'];
  return type === 'base64' && typeof mediaType === 'string' && typeof data === 'string';
}

function cutBlocks(
  blocks: readonly (TextBlock | ImageBlock)[],
  maxChars: number,
  keep: KeepText,
  cut: typeof cutText,
): readonly (TextBlock | ImageBlock)[] {
  const all = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  // Once for all blocks: the file contains the whole result.
  let path: string | null | undefined;
  const keepAll = (): string | null => {
    path ??= keep(all.join('\n\n'));
    return path;
  };
  const kept: (TextBlock | ImageBlock)[] = [];
  let available = maxChars;
  let imageSpace = maxImagesChars;
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'image') {
      const image = imageOrNotice(block, imageSpace);
      if (image.type === 'image') imageSpace -= image.source.data.length;
      kept.push(image);
      continue;
    }
    if (available <= 0) {
      kept.push({ type: 'text', text: `[cut: ${blocks.length - index} more content blocks]` });
      break;
    }
    kept.push({ type: 'text', text: cut(block.text, available, keepAll) || emptyText });
    available -= block.text.length;
  }
  return kept;
}

/** A cut image is no image, so one that is too large is left out whole. */
function imageOrNotice(block: ImageBlock, available: number): TextBlock | ImageBlock {
  // Rebuilt from its known fields: what else a tool put there would be refused by the provider.
  const { type, media_type, data } = block.source;
  if (!isImageType(media_type)) {
    return { type: 'text', text: `[an image that cannot be shown: ${media_type}]` };
  }
  const max = Math.min(maxImageChars, available);
  if (data.length <= max) return { type: 'image', source: { type, media_type, data } };
  const why =
    data.length <= maxImageChars
      ? `: all images of a result may have ${count(maxImagesChars)}, ask for fewer`
      : '';
  const text = `[an image of ${count(data.length)} base64 characters left out${why}]`;
  return { type: 'text', text };
}

function jsonText(output: unknown): string {
  const text = stringify(output);
  if (text !== undefined) return text;
  throw new TroupeError(
    'tool_failed',
    `it returned ${describe(output)}, which is neither text nor JSON`,
  );
}

function stringify(output: unknown): string | undefined {
  try {
    return JSON.stringify(output);
  } catch (thrown) {
    // Circular, a BigInt, or a throwing toJSON.
    const reason = reasonOf(thrown);
    throw new TroupeError('tool_failed', `it returned a value that is not JSON: ${reason}`, {
      cause: thrown,
    });
  }
}
