// Owns the `write` tool: a whole file at once, so that no reader ever sees half of it.
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import { inFolder, notRegular, resolveInWorkspace, translated } from '../workspace.ts';
import { objectSchema, text } from './object-schema.ts';

const maxBytes = 4_194_304;
const permissionBits = 0o777;

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
    if (size > maxBytes) {
      throw new TroupeError('file_refused', `content has ${size} bytes, more than ${maxBytes}`);
    }
    const { shown } = writeInWorkspace(tool.workspace, path, content);
    tool.recordFile(shown);
    return `wrote ${size} bytes to ${shown}`;
  },
});

/**
 * Writes a whole file of the workspace, its missing folders included. Throws `outside_workspace` and `file_refused`.
 */
export function writeInWorkspace(
  workspace: string,
  path: string,
  content: string,
): { readonly shown: string } {
  const { absolute, shown } = resolveInWorkspace(workspace, path);
  if (shown === '.')
    throw notRegular(
      path,
      translated(path, () => lstatSync(absolute)),
    );
  // A folder that is swapped for a symlink meanwhile costs an empty folder elsewhere at worst: what is opened is judged.
  translated(path, () => mkdirSync(dirname(absolute), { recursive: true }));
  inFolder(workspace, dirname(shown), (folder) => {
    const file = join(folder, basename(absolute));
    const before = translated(path, () => lstatSync(file, { throwIfNoEntry: false }));
    if (before !== undefined && !before.isFile()) throw notRegular(path, before);
    // A rename needs the folder's permission only; this check keeps a read-only file unchanged.
    if (before !== undefined) translated(path, () => accessSync(file, constants.W_OK));
    translated(path, () => replaceFile(file, content, before));
  });
  return { shown };
}

const temporaryName = /^\.troupe-write-\d+$/;
const maxAttempts = 1_000;

/** True for a file that exists only while a write is under way, or that a killed one left. */
export function isTemporary(name: string): boolean {
  return temporaryName.test(name);
}

/**
 * Writes beside the file and renames over it, which is atomic within a folder. A symlink that appears under the
 * target's name is replaced, not followed. No fsync: it guards against readers, not against a power cut.
 */
function replaceFile(absolute: string, content: string, before: Stats | undefined): void {
  const { descriptor, temporary } = openTemporary(dirname(absolute));
  try {
    try {
      // Set on the open file: the mode given at creation is narrowed by the umask.
      if (before !== undefined) fchmodSync(descriptor, before.mode & permissionBits);
      writeFileSync(descriptor, content);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, absolute);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** A new file under the first free name: O_EXCL makes the choice safe between threads and processes. */
function openTemporary(folder: string): { descriptor: number; temporary: string } {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  for (let attempt = 0; ; attempt += 1) {
    const temporary = join(folder, `.troupe-write-${attempt}`);
    try {
      return { descriptor: openSync(temporary, flags), temporary };
    } catch (thrown) {
      const isTaken = thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';
      if (!isTaken || attempt === maxAttempts) throw thrown;
    }
  }
}
