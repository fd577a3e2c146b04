// Owns the `edit` tool: exact replacements in one text file, all or none.
import { describe, TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import { openForReading } from '../workspace.ts';
import { checkpoint } from './checkpoint.ts';
import { editText } from './edit-text.ts';
import { flag, listOf, objectSchema, optional, text } from './object-schema.ts';
import { replaceFile } from './replace-file.ts';
import { maxFileBytes, readText, refuseLarge } from './text-file.ts';

const maxEdits = 100;
const maxShownLines = 20;

/** Edits a file in place; edits that other agents make meanwhile are kept. */
export const editTool = defineTool({
  name: 'edit',
  description:
    'Replaces exact texts in a text file of the workspace. The edits apply one after the other; if one does not, the file is left as it was. At most 4 MB.',
  input: objectSchema({
    path: text('File to edit, relative to the workspace.'),
    edits: listOf(
      'The replacements, in their order.',
      {
        oldText: text('The text to replace, with its exact white space; it must be there once.'),
        newText: text('What to put in its place; empty removes it.'),
        replaceAll: optional(flag('Replace every occurrence. Default: false.')),
      },
      maxEdits,
    ),
  }),
  tags: ['file', 'write'],
  run({ path, edits }, tool) {
    // Refused before the folders above it are made.
    openForReading(tool.workspace, path).close();
    let lines: readonly number[] = [];
    const { shown } = replaceFile(
      tool.workspace,
      path,
      () => {
        const edited = editText(readText(tool.workspace, path), edits, maxFileBytes);
        if (edited.type === 'refused') {
          const message = `edits[${edited.index}]: ${edited.why}; ${describe(path)} is unchanged`;
          throw new TroupeError('file_refused', message);
        }
        refuseLarge(Buffer.byteLength(edited.text), `${describe(path)} would have`);
        lines = edited.lines;
        return edited.text;
      },
      { wait: () => checkpoint(tool) },
    );
    tool.recordFile(shown);
    const where = lines.slice(0, maxShownLines).join(', ');
    const more = lines.length > maxShownLines ? ', …' : '';
    const replacements = lines.length === 1 ? '1 replacement' : `${lines.length} replacements`;
    return `edited ${shown}: ${replacements}, at line ${where}${more}`;
  },
});
