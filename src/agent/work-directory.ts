// Owns which folder an agent may be given to work in, and which it gets when it may not (A62, A63). Pure.
import { join, posix, win32 } from 'node:path';

export type DirectoryRequest = {
  readonly requested: string;
  readonly platform: NodeJS.Platform;
  /** The folder a path leads to, symlinks followed; null when there is no folder. */
  readonly realFolder: (path: string) => string | null;
};

/** Names that no part of a Windows path may have. */
const windowsParts: ReadonlySet<string> = new Set(['windows', 'system32', 'syswow64', 'boot']);
/** Trees that belong to the system elsewhere. */
const linuxTrees = ['/etc', '/bin', '/sbin', '/root'];
const macTrees = ['/System', '/Library', '/private/var', '/usr'];

/** Why a folder is refused, or null: relative, leads upwards, does not exist, belongs to the system. */
export function refuseDirectory({
  requested,
  platform,
  realFolder,
}: DirectoryRequest): string | null {
  const isWindows = platform === 'win32';
  if (!(isWindows ? win32 : posix).isAbsolute(requested)) return 'it is not absolute';
  if (partsOf(requested, isWindows).includes('..')) return 'it contains ..';
  if (isProtected(requested, platform)) return 'it belongs to the system';
  const real = realFolder(requested);
  if (real === null) return 'there is no such folder';
  // A symlink may lead where its own name does not say.
  return isProtected(real, platform) ? 'it leads into a folder of the system' : null;
}

/** Compared part by part: `/etcetera` is not below `/etc`. */
function isProtected(path: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') {
    // Windows drops dots and spaces at the end of a name.
    const told = (part: string): string => part.toLowerCase().replace(/[. ]+$/, '');
    return partsOf(path, true).some((part) => windowsParts.has(told(part)));
  }
  const isMac = platform === 'darwin';
  const trees = isMac ? macTrees : linuxTrees;
  // macOS tells no upper case from lower.
  const told = (text: string): string => (isMac ? text.toLowerCase() : text);
  const parts = partsOf(path, false).map(told);
  return trees.some((tree) => partsOf(tree, false).every((part, at) => parts[at] === told(part)));
}

function partsOf(path: string, isWindows: boolean): readonly string[] {
  return path.split(isWindows ? /[\\/]+/ : /\/+/).filter((part) => part !== '' && part !== '.');
}

/** The folder of an agent that brought none, or none that it may have: its own below its session's. */
export function fallbackDirectory(root: string, sessionId: string, agentName: string): string {
  return join(root, pathName(sessionId), pathName(agentName));
}

/** A text as one name in a path, whatever it held. */
function pathName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, '_');
  return name === '' ? '_' : name;
}
