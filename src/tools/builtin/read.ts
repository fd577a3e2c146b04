// Owns the `read` tool: an image, or a text file or a range of its lines, with a cap that says how to read on.
import { readSync } from 'node:fs';
import { describe, TroupeError, unreachable } from '../../base/failures.ts';
import type { ImageBlock } from '../../protocol/history.ts';
import { imageBlock, imageTypeOf, maxImageChars } from '../../protocol/image.ts';
import { defineTool } from '../define-tool.ts';
import { type OpenFile, openForReading, translated } from '../workspace.ts';
import { checkpoint } from './checkpoint.ts';
import { headOf, isBinary, type Lines, readLines } from './file-content.ts';
import { objectSchema, optional, text, whole } from './object-schema.ts';

const maxBytes = 262_144;
const maxLines = 1_000_000_000;
/** In base64 every three bytes take four characters. */
const maxImageBytes = Math.floor(maxImageChars / 4) * 3;

/** Reads a text file as it is, without line numbers, at most 256 KB of it at a time; a PNG, JPEG, GIF or WebP as an image. */
export const readTool = defineTool({
  name: 'read',
  description:
    'Reads a text file of the workspace, or shows an image (PNG, JPEG, GIF, WebP). Without offset and limit the whole file, at most 256 KB of text; what is cut says where to read on.',
  input: objectSchema({
    path: text('File to read, relative to the workspace.'),
    offset: optional(whole('Number of the first line to read, from 1. Default: 1.', 1, maxLines)),
    limit: optional(whole('Most lines to read. Default: to the end.', 1, maxLines)),
  }),
  idempotent: true,
  tags: ['file', 'read'],
  run({ path, offset = 1, limit }, tool) {
    const file = openForReading(tool.workspace, path);
    try {
      const head = headOf(file, path);
      const imageType = imageTypeOf(head);
      if (imageType !== null) return readImage(file, path, imageType);
      if (isBinary(head)) {
        throw new TroupeError(
          'file_refused',
          `${describe(path)} is a binary file of ${file.stats.size} bytes`,
        );
      }
      if (file.stats.size === 0) return '(empty file)';
      const range = { offset, limit, maxBytes: maxBytes };
      const lines = readLines(file, path, range, () => checkpoint(tool));
      return `${lines.text}${cutNotice(lines, offset, file.stats.size)}`;
    } finally {
      file.close();
    }
  },
});

/** Cut it would be no image. */
function readImage(
  { descriptor, stats: { size } }: OpenFile,
  path: string,
  mediaType: string,
): readonly ImageBlock[] {
  if (size > maxImageBytes) {
    throw new TroupeError(
      'file_refused',
      `${describe(path)} is an image of ${size} bytes; at most ${maxImageBytes} can be shown`,
    );
  }
  const bytes = Buffer.alloc(size);
  const length = translated(path, () => readSync(descriptor, bytes, 0, size, 0));
  return [imageBlock(mediaType, bytes.subarray(0, length).toString('base64'))];
}

function cutNotice({ text: shown, lastLine, end }: Lines, offset: number, size: number): string {
  const readOn = `read on with offset ${lastLine + 1}`;
  const ofSize = `the file has ${size} bytes`;
  switch (end) {
    case 'file':
      return shown === '' ? `[nothing: the file has ${lastLine} lines, offset is ${offset}]` : '';
    case 'limit':
      return `[cut after line ${lastLine}: ${readOn}]`;
    case 'bytes':
      return `[cut after line ${lastLine} at 256 KB; ${ofSize}; ${readOn}]`;
    case 'long_line':
      return `\n[cut within line ${lastLine}, longer than 256 KB; ${ofSize}; ${readOn}]`;
    default:
      return unreachable(end);
  }
}
