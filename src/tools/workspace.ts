// Owns the confinement of file tools to one folder: which path is meant, where it really is, and the opening of it.
// A slot belt against a model's mistakes and injected paths, not a sandbox against code that runs beside it.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { describe, TroupeError } from '../base/failures.ts';

/** A path that was found inside the workspace, every symlink on it resolved. */
export type WorkspacePath = {
  readonly absolute: string;
  /** As tools show it: relative to the workspace, `/` between names, `.` for the workspace itself. */
  readonly shown: string;
};

/** Live views of processes and the kernel: they contain environments, memory and secrets, and are not documents. */
const refusedTrees = ['/proc', '/sys'];

/**
 * How a folder is opened. With Linux's O_PATH, which Node has no name for, it need not be readable: one may write into a folder
 * that one may not list.
 */
const asFolder = constants.O_DIRECTORY | (process.platform === 'linux' ? 0o10000000 : 0);

/**
 * Finds a path inside the workspace; it need not exist yet. Absolute paths are taken when they lead inside.
 * Throws `outside_workspace` for an escape, by `..` or through a symlink, and `file_refused` for a NUL byte, `/proc`,
 * `/sys`, a dangling or circular symlink, or what the system will not show.
 */
export function resolveInWorkspace(workspace: string, path: string): WorkspacePath {
  if (path.includes('\0')) {
    throw new TroupeError('file_refused', `path must hold no NUL byte, got ${describe(path)}`);
  }
  const root = canonicalPath(workspace, workspace);
  const asked = resolve(root, path);
  // Checked before links are followed too: /proc/self/root leads back to anywhere.
  refuseTree(asked, path);
  const absolute = canonicalPath(asked, path);
  refuseTree(absolute, path);
  if (!isWithin(root, absolute)) {
    throw new TroupeError('outside_workspace', `${describe(path)} leads outside the workspace`);
  }
  const shown = relative(root, absolute).split(sep).join('/');
  return { absolute, shown: shown === '' ? '.' : shown };
}

/** An open file and what it is; `close` is the caller's duty. */
export type OpenFile = { readonly descriptor: number; readonly stats: Stats; close(): void };

/**
 * Opens a regular file of the workspace for reading. What is judged is the opened file: before the opening another
 * process may swap a folder of the path for a symlink. Hard links are not distinguished: a process that can make one
 * could read the file anyway.
 */
export function openForReading(workspace: string, path: string): OpenFile {
  // O_NONBLOCK: opening a named pipe would block the thread for ever. Windows knows no such flags and reads them as 0.
  const file = openInside(workspace, path, constants.O_NONBLOCK);
  if (file.stats.isFile()) return file;
  file.close();
  throw notRegular(path, file.stats);
}

/**
 * Runs something in a folder of the workspace, under a path that keeps meaning that very folder whatever is swapped
 * meanwhile, where the system has such paths.
 */
export function inFolder<T>(workspace: string, path: string, run: (folder: string) => T): T {
  const { absolute } = resolveInWorkspace(workspace, path);
  // Windows opens no folder as a file.
  if (process.platform === 'win32') return run(absolute);
  const { descriptor, close } = openInside(workspace, path, asFolder);
  try {
    return run(pathOfOpen(descriptor) === null ? absolute : openPath(descriptor));
  } finally {
    close();
  }
}

/** Opens what is inside the workspace and refuses what turns out not to be. */
function openInside(workspace: string, path: string, flags: number): OpenFile {
  const { absolute } = resolveInWorkspace(workspace, path);
  const descriptor = translated(path, () =>
    openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | flags),
  );
  const close = () => closeSync(descriptor);
  try {
    const stats = fstatSync(descriptor);
    checkOpened(workspace, path, descriptor, stats);
    return { descriptor, stats, close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

/** The kernel reports where an open file is. If it does not, the path is resolved again and must be the same file. */
function checkOpened(workspace: string, path: string, descriptor: number, stats: Stats): void {
  const changed = () =>
    new TroupeError('file_refused', `${describe(path)} changed while it was opened`);
  const opened = pathOfOpen(descriptor);
  if (opened !== null) {
    if (!isWithin(canonicalPath(workspace, workspace), opened)) throw changed();
    return;
  }
  const again = translated(path, () => statSync(resolveInWorkspace(workspace, path).absolute));
  if (again.ino !== stats.ino || again.dev !== stats.dev) throw changed();
}

const openPath = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

/** The path of an open file as the kernel knows it; null where there is no such knowledge. */
function pathOfOpen(descriptor: number): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readlinkSync(openPath(descriptor));
  } catch {
    // A container without /proc, or a thread that may not read it.
    return null;
  }
}

/** Runs a file system call; its error becomes `file_refused` with a text that names the path as the model wrote it. */
export function translated<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof TroupeError) throw thrown;
    const code = errorCode(thrown);
    const reason = reasons.get(code) ?? `cannot be used (${code})`;
    throw new TroupeError('file_refused', `${describe(path)} ${reason}`, { cause: thrown });
  }
}

/** The refusal of what is no regular file. */
export function notRegular(path: string, stats: Stats): TroupeError {
  const kind = stats.isDirectory() ? 'a folder' : 'not a regular file';
  return new TroupeError('file_refused', `${describe(path)} is ${kind}`);
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'goes through a file as if it were a folder'],
  ['EISDIR', 'is a folder'],
  ['ELOOP', 'goes round in circles of symlinks'],
  ['EACCES', 'may not be accessed'],
  ['EPERM', 'may not be accessed'],
  ['ERR_ACCESS_DENIED', 'may not be accessed'],
  ['ENAMETOOLONG', 'is too long a name'],
  ['ENOSPC', 'does not fit on the disk'],
]);

function errorCode(thrown: unknown): string {
  if (thrown instanceof Error && 'code' in thrown) return String(thrown.code);
  return describe(thrown);
}

/** The real path of the deepest part that exists, and below it the names that do not exist yet. */
function canonicalPath(target: string, path: string): string {
  const missing: string[] = [];
  let current = target;
  for (;;) {
    const real = translated(path, () => realPathOrNull(current, path));
    if (real !== null) return join(real, ...missing);
    missing.unshift(basename(current));
    const parent = dirname(current);
    if (parent === current) return target;
    current = parent;
  }
}

function realPathOrNull(current: string, path: string): string | null {
  try {
    return realpathSync.native(current);
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    // A symlink to nothing is not a missing name: writing through it would create its target, wherever that is.
    if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null;
    throw new TroupeError('file_refused', `${describe(path)} leads through a symlink to nothing`);
  }
}

function refuseTree(absolute: string, path: string): void {
  if (!refusedTrees.some((tree) => isWithin(tree, absolute))) return;
  throw new TroupeError('file_refused', `${describe(path)} leads into the system's own files`);
}

/** True for a folder and everything below it. Both are real paths. */
export function isWithin(root: string, target: string): boolean {
  const way = relative(root, target);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
