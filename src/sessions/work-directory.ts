// Owns which folder an agent may be given to work in, and which it gets when it may not (A62, A63). Pure: creates nothing.
import { createHash } from 'node:crypto';
import { join, posix, win32 } from 'node:path';

export type DirectoryRequest = {
  readonly requested: string;
  readonly platform: NodeJS.Platform;
  /** The folder a path leads to, symlinks followed; null when there is no folder. */
  readonly realFolder: (path: string) => string | null;
  /** Whether a real folder is one that a model may choose. Default: every one is. */
  readonly isAllowed?: (real: string) => boolean;
};

/** Names that no part of a Windows path may have. */
const windowsParts: ReadonlySet<string> = new Set(['windows', 'system32', 'syswow64', 'boot']);
/** Trees that belong to the system elsewhere. */
const linuxTrees = ['/etc', '/bin', '/sbin', '/root'];
const macTrees = ['/System', '/Library', '/private/var', '/usr'];

/**
 * Why a folder is refused, or null: relative, leads upwards, does not exist, belongs to the system or contains a folder
 * that does, is not allowed (A62).
 */
export function refuseDirectory({
  requested,
  platform,
  realFolder,
  isAllowed = () => true,
}: DirectoryRequest): string | null {
  const isWindows = platform === 'win32';
  if (!(isWindows ? win32 : posix).isAbsolute(requested)) return 'it is not absolute';
  if (requested.includes('\0')) return 'it contains a NUL byte';
  if (partsOf(requested, isWindows).includes('..')) return 'it contains ..';
  const trees = treesOf(platform);
  if (isProtected(requested, platform, trees)) return 'it belongs to the system';
  const real = realFolder(requested);
  if (real === null) return 'there is no such folder';
  // A symlink may lead elsewhere than its name suggests, and a tree may be a symlink itself: /bin is often /usr/bin.
  const realTrees = [...trees, ...trees.flatMap((tree) => realFolder(tree) ?? [])];
  if (isProtected(real, platform, realTrees)) return 'it leads into a folder of the system';
  return isAllowed(real) ? null : 'it is outside of the folders that agents may choose';
}

function treesOf(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'win32') return [];
  return platform === 'darwin' ? macTrees : linuxTrees;
}

/** True for a tree, what is below it and what is above it. Compared part by part: `/etcetera` is not below `/etc`. */
function isProtected(path: string, platform: NodeJS.Platform, trees: readonly string[]): boolean {
  if (platform === 'win32') {
    // Windows drops dots and spaces at the end of a name.
    const normalised = (part: string): string => part.toLowerCase().replace(/[. ]+$/, '');
    const parts = partsOf(path, true);
    // A drive or a share as a whole contains the system's folders.
    return parts.length <= 1 || parts.some((part) => windowsParts.has(normalised(part)));
  }
  // macOS does not distinguish upper case from lower.
  const normalised = (text: string): string => (platform === 'darwin' ? text.toLowerCase() : text);
  const parts = partsOf(path, false).map(normalised);
  return trees.some((tree) => {
    const treeParts = partsOf(tree, false).map(normalised);
    const shared = Math.min(parts.length, treeParts.length);
    return treeParts.slice(0, shared).every((part, at) => part === parts[at]);
  });
}

function partsOf(path: string, isWindows: boolean): readonly string[] {
  return path.split(isWindows ? /[\\/]+/ : /\/+/).filter((part) => part !== '' && part !== '.');
}

/**
 * The folder of an agent that brought none, or none that it may have: its own below its session's (A63). It is always two
 * names below the root, and two pairs of session and agent never share one.
 */
export function fallbackDirectory(root: string, sessionId: string, agentName: string): string {
  return join(sessionDirectory(root, sessionId), pathName(agentName));
}

/** The folder of a session below the root: those of its agents are in it. */
export function sessionDirectory(root: string, sessionId: string): string {
  return join(root, pathName(sessionId));
}

/** Windows has devices of these names in every folder. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/;
const maxName = 64;

/**
 * A text as one name in a path. What is no plain name gets a hash of the whole text after a dot, which plain names do
 * not contain: different texts are different names, also on file systems that ignore case.
 */
function pathName(text: string): string {
  const isPlain = /^[a-z0-9_-]+$/.test(text) && text.length <= maxName && !devices.test(text);
  if (isPlain) return text;
  const shown = text.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40);
  // Hashes the UTF-16 code units: UTF-8 has one form for every broken surrogate.
  const hash = createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex');
  return `_${shown}.${hash.slice(0, 24)}`;
}
