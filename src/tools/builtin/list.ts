// Owns the `list` tool and the reading of one folder in a stable order.
import { type Dirent, readdirSync } from 'node:fs';
import { defineTool } from '../define-tool.ts';
import { inFolder, translated } from '../workspace.ts';
import { objectSchema, optional, text } from './object-schema.ts';
import { isTemporary } from './replace-file.ts';

const maxEntries = 1_000;

/** Lists one folder, sorted, folders with a trailing slash, at most 1,000 entries. */
export const listTool = defineTool({
  name: 'list',
  description:
    'Lists one folder of the workspace: one name per line, sorted, folders end in "/". At most 1,000 names are shown.',
  input: objectSchema({
    path: optional(text('Folder to list, relative to the workspace. Default: the workspace.')),
  }),
  idempotent: true,
  tags: ['file', 'read'],
  run({ path = '.' }, tool) {
    const names = entriesOf(tool.workspace, path).map(shownName);
    if (names.length === 0) return '(empty folder)';
    const shown = names.slice(0, maxEntries);
    if (names.length > maxEntries)
      shown.push(`[cut: ${maxEntries} of ${names.length} names shown]`);
    return shown.join('\n');
  },
});

/** The entries of a folder of the workspace, sorted by code unit, which is the same on every machine. */
export function entriesOf(workspace: string, path: string): readonly Dirent[] {
  const entries = inFolder(workspace, path, (folder) =>
    translated(path, () => readdirSync(folder, { withFileTypes: true })),
  );
  return entries
    .filter((entry) => !isTemporary(entry.name))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function shownName(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}
