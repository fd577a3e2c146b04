// Owns the short texts that events show of a tool call: what it was called with, and what it answered. Pure.
import { describe } from '../base/failures.ts';
import { maskShapes } from '../base/secret-text.ts';
import type { ToolResult } from '../protocol/history.ts';
import { maxPreviewChars } from '../protocol/run-events.ts';
import { wholeCharacters } from '../tools/output.ts';

/** Far behind the cut, so that no key is cut before it is masked. */
const maxReadChars = 1_200;

/** The beginning of the JSON of an input, at most `maxPreviewChars` with the `…` of one that is cut. */
export function previewOfInput(input: unknown): string {
  // A text within it is cut before it is encoded: it may be a whole file.
  const shorten = (_name: string, item: unknown): unknown =>
    typeof item === 'string' && item.length > maxReadChars ? item.slice(0, maxReadChars) : item;
  return previewOf(jsonOf(input, shorten));
}

function jsonOf(input: unknown, shorten: (name: string, item: unknown) => unknown): string {
  try {
    return JSON.stringify(input, shorten) ?? '';
  } catch {
    // A model that is an object of the program may have answered with a circle or a BigInt.
    return describe(input);
  }
}

/** The beginning of the text of a result; an image is `[image]`. */
export function previewOfResult(content: ToolResult['content']): string {
  if (typeof content === 'string') return previewOf(content);
  return previewOf(
    content.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n'),
  );
}

function previewOf(text: string): string {
  const masked = maskShapes(text.slice(0, maxReadChars));
  const isWhole = masked.length <= maxPreviewChars && text.length <= maxReadChars;
  return isWhole ? masked : `${masked.slice(0, wholeCharacters(masked, maxPreviewChars - 1))}…`;
}
