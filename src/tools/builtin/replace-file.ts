// Owns the replacing of a whole file of the workspace: no reader sees half of it, and no two writers overlap.
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, TroupeError } from '../../base/failures.ts';
import { inFolder, notRegular, resolveInWorkspace, translated } from '../workspace.ts';

const permissionBits = 0o777;
const temporaryPrefix = '.troupe-write-';
/** Characters of a name that a temporary one repeats: four bytes each still fit into a name. */
const maxRepeated = 60;
const pollMs = 2;
/** A second: a write takes milliseconds, and a thread that was ended in one leaves its temporary file. */
const pollsUntilAbandoned = 500;

/** True for a file that exists only while a write is under way, or that an ended thread left. */
export function isTemporary(name: string): boolean {
  return name.startsWith(temporaryPrefix);
}

type ReplaceOptions = {
  /** Called while another replacement of the file is under way; may throw. */
  readonly wait?: () => void;
  /** Permissions of a file that is not there yet; default: what the process gives to new files. */
  readonly mode?: number;
};

/**
 * Replaces a file of the workspace, its missing folders included, by what `contentOf` returns; it is given what is there, or
 * undefined, and no other replacement of the file comes between. Throws `outside_workspace` and `file_refused`, and what
 * `contentOf` throws.
 */
export function replaceFile(
  workspace: string,
  path: string,
  contentOf: (before: Stats | undefined) => string,
  options: ReplaceOptions = {},
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
    const temporary = join(folder, `${temporaryPrefix}${basename(absolute).slice(0, maxRepeated)}`);
    translated(path, () => writeAndRename({ file, temporary, path }, contentOf, options));
  });
  return { shown };
}

/** What a path is, if anything, when it may be replaced. */
function checkReplaceable(file: string, path: string): Stats | undefined {
  const before = translated(path, () => lstatSync(file, { throwIfNoEntry: false }));
  if (before === undefined) return undefined;
  if (!before.isFile()) throw notRegular(path, before);
  // A rename needs the folder's permission only; this check keeps a read-only file unchanged.
  translated(path, () => accessSync(file, constants.W_OK));
  return before;
}

type Place = { readonly file: string; readonly temporary: string; readonly path: string };

/**
 * Writes beside the file and renames over it, which is atomic within a folder. The temporary file, which only one writer can
 * create, is the lock as well: the rename releases it. A symlink that appears under the target's name is replaced, not
 * followed. No fsync: it guards against readers, not against a power cut.
 */
function writeAndRename(
  { file, temporary, path }: Place,
  contentOf: (before: Stats | undefined) => string,
  { wait = () => {}, mode }: ReplaceOptions,
): void {
  const descriptor = openAlone(temporary, wait);
  try {
    try {
      const before = checkReplaceable(file, path);
      const content = contentOf(before);
      // Set on the open file: the mode given at creation is narrowed by the umask.
      const wanted = before?.mode ?? mode;
      if (wanted !== undefined) fchmodSync(descriptor, wanted & permissionBits);
      writeFileSync(descriptor, content);
      if (!isOwn(descriptor, temporary)) {
        throw new TroupeError('file_refused', `${describe(path)} is written by another writer`);
      }
      renameSync(temporary, file);
    } catch (thrown) {
      // What another writer has made meanwhile is left to it.
      if (isOwn(descriptor, temporary)) rmSync(temporary, { force: true });
      throw thrown;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Creates the temporary file once no other writer has it, or the one that has it has not moved for a second. */
function openAlone(temporary: string, wait: () => void): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const other = { id: '', polls: 0 };
  for (;;) {
    try {
      return openSync(temporary, flags);
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
    }
    wait();
    const there = lstatSync(temporary, { throwIfNoEntry: false });
    const id = there === undefined ? '' : `${there.ino} ${there.mtimeMs}`;
    other.polls = id === other.id ? other.polls + 1 : 0;
    other.id = id;
    if (other.polls < pollsUntilAbandoned) Atomics.wait(nothing, 0, 0, pollMs);
    else rmSync(temporary, { force: true });
  }
}

/** Never notified: a wait for it is a wait for the time. */
const nothing = new Int32Array(new SharedArrayBuffer(4));

/** A writer that was suspended for so long finds its temporary file gone, or another's. */
function isOwn(descriptor: number, temporary: string): boolean {
  const there = lstatSync(temporary, { throwIfNoEntry: false });
  return there?.ino === fstatSync(descriptor).ino;
}
