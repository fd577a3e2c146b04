// Owns the `write` tool: a whole file at once, so that no reader ever sees half of it.
import { defineTool } from '../define-tool.ts';
import { checkpoint } from './checkpoint.ts';
import { objectSchema, text } from './object-schema.ts';
import { replaceFile } from './replace-file.ts';
import { refuseLarge } from './text-file.ts';

/** Writes a file whole: readers see the old content or the new, never a part. Creates the folders above it. */
export const writeTool = defineTool({
  name: 'write',
  description:
    'Writes a text file of the workspace, replacing what is there. Creates missing folders. At most 4 MB.',
  input: objectSchema({
    path: text('File to write, relative to the workspace.'),
    content: text('The whole new content.'),
  }),
  idempotent: true,
  tags: ['file', 'write'],
  run({ path, content }, tool) {
    const size = Buffer.byteLength(content);
    refuseLarge(size, 'content has');
    const wait = () => checkpoint(tool);
    const { shown } = replaceFile(tool.workspace, path, () => content, { wait });
    tool.recordFile(shown);
    return `wrote ${size} bytes to ${shown}`;
  },
});
