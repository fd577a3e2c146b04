// Owns the `read` tool: a text file, or a range of its lines, with a cap that says how to read on.
import { describe, TroupeError, unreachable } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import { openForReading } from '../workspace.ts';
import { checkpoint } from './checkpoint.ts';
import { headOf, isBinary, type Lines, readLines } from './file-content.ts';
import { objectSchema, optional, text, whole } from './object-schema.ts';

const maxBytes = 262_144;
const maxLines = 1_000_000_000;

/** Reads a text file as it is, without line numbers, at most 256 KB of it at a time. */
export const readTool = defineTool({
  name: 'read',
  description:
    'Reads a text file of the workspace. Without offset and limit the whole file, at most 256 KB; what is cut says where to read on.',
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
      if (isBinary(headOf(file, path))) {
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
