// Owns how a tool's answer becomes the content of a result: text, content blocks or JSON, and what is cut. Runs nothing.
import { describe, TroupeError } from '../errors.ts';
import type { ImageBlock, TextBlock } from '../models/model.ts';
import { isRecord } from './schema.ts';
import type { ToolResult } from './tool.ts';

/** Characters of text that one result may hold, unless said otherwise. */
export const defaultMaxResultChars = 50_000;

/** Base64 characters of one image; providers refuse more. A cut image is no image, so it is left out whole. */
const mostImageChars = 5_000_000;

const emptyText = '(no output)';

/**
 * The content for what a tool returned, at most `maxChars` of text; a cut says so.
 * Throws `tool_failed` when the value is none of text, content blocks and JSON.
 */
export function toContent(output: unknown, maxChars: number): ToolResult['content'] {
  if (output === undefined || output === '') return emptyText;
  if (typeof output === 'string') return cutText(output, maxChars);
  if (isBlocks(output)) return cutBlocks(output, maxChars);
  return cutText(jsonText(output), maxChars);
}

/** The first `maxChars` of a text, with a last line that says what is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Half a surrogate pair is no character: some providers refuse the whole request for it.
  const end = isHighSurrogate(text, maxChars - 1) ? maxChars - 1 : maxChars;
  const shown = text.slice(0, end);
  const lines = shown.split('\n').length;
  return `${shown}\n[cut: ${count(end)} of ${count(text.length)} characters shown, up to line ${count(lines)}; ask for a smaller part]`;
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
): readonly (TextBlock | ImageBlock)[] {
  const kept: (TextBlock | ImageBlock)[] = [];
  let room = maxChars;
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'image') {
      kept.push(imageOrNote(block));
      continue;
    }
    if (room <= 0) {
      kept.push({ type: 'text', text: `[cut: ${blocks.length - index} more content blocks]` });
      break;
    }
    kept.push({ type: 'text', text: cutText(block.text, room) || emptyText });
    room -= block.text.length;
  }
  return kept;
}

function imageOrNote(block: ImageBlock): TextBlock | ImageBlock {
  // Rebuilt from its known fields: what else a tool put there would be refused by the provider.
  const { type, media_type, data } = block.source;
  if (data.length <= mostImageChars) return { type: 'image', source: { type, media_type, data } };
  return { type: 'text', text: `[an image of ${count(data.length)} base64 characters left out]` };
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
    const reason = thrown instanceof Error ? thrown.message : describe(thrown);
    throw new TroupeError('tool_failed', `it returned a value that is not JSON: ${reason}`, {
      cause: thrown,
    });
  }
}
