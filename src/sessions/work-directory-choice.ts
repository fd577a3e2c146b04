// Owns giving an agent its folder: the one a model asked for if allowed, else its own, made at need (A62, A63).
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { describe, TroupeError } from '../base/failures.ts';
import { isWithin, translated } from '../tools/workspace.ts';
import { fallbackDirectory, refuseDirectory, sessionDirectory } from './work-directory.ts';

export type WorkDirectoryRequest = {
  /** The folder that was asked for; undefined when none was. */
  readonly requested?: string | undefined;
  /** What a model may choose. Undefined when the program itself asks: only the system's folders are refused then. */
  readonly choosable?: ChoosableFolders | undefined;
  /** The folder that sessions have theirs below, absolute; made when it is not there. */
  readonly root: string;
  readonly sessionId: string;
  readonly agentName: string;
  /** Default: this process's. */
  readonly platform?: NodeJS.Platform;
};

/** The folders that a model may choose beside those below the root; other sessions' folders are not among these. */
type ChoosableFolders = {
  /** Absolute; what is below them as well. */
  readonly listed: readonly string[];
  /** Whether the root itself may be chosen: false where it exists only for the folders of sessions. */
  readonly root: boolean;
};

export type WorkDirectory = {
  /** Absolute, every symlink on it resolved: what was judged is what is used. */
  readonly path: string;
  /** Why it is not the folder that was asked for. */
  readonly warning?: string;
};

/**
 * The folder an agent works in, which exists when this returns. A folder that A62 refuses falls back to
 * `<root>/<session>/<agent>` (A63), with the reason as a warning. Throws `invalid_options` for a root that is not
 * absolute, `file_refused` when the fallback cannot be made, `outside_workspace` when a symlink leads it out of the root.
 */
export function chooseWorkDirectory(request: WorkDirectoryRequest): WorkDirectory {
  const { requested, platform = process.platform } = request;
  if (requested === undefined) return { path: ownFolder(request) };
  const { choosable } = request;
  const isAllowed = (real: string): boolean =>
    choosable === undefined || isChoosable(real, choosable, request);
  const why = refuseDirectory({ requested, platform, realFolder, isAllowed });
  const real = why === null ? realFolder(requested) : null;
  if (real !== null) return { path: real };
  const path = ownFolder(request);
  const reason = why ?? 'there is no such folder';
  const warning = `the folder ${describe(requested)} is not used: ${reason}; it is ${describe(path)}`;
  return { path, warning };
}

/** Left in the folder of a session, so that no other session's model chooses it or what is below it. */
const sessionMarker = '.troupe-session';

function isChoosable(
  real: string,
  choosable: ChoosableFolders,
  { root, sessionId }: WorkDirectoryRequest,
): boolean {
  const isListed = choosable.listed.some((folder) => {
    const realListed = realFolder(folder);
    return realListed !== null && isWithin(realListed, real);
  });
  if (isListed) return true;
  const realRoot = realFolder(root);
  if (realRoot === null || !isWithin(realRoot, real)) return false;
  if (real === realRoot) return choosable.root;
  const [first = ''] = relative(realRoot, real).split(sep);
  const top = join(realRoot, first);
  return top === sessionDirectory(realRoot, sessionId) || !existsSync(join(top, sessionMarker));
}

/** True while a folder that was chosen is there, and no symlink in its place. */
export function isStillThere(path: string): boolean {
  return realFolder(path) === path;
}

function realFolder(path: string): string | null {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    // What cannot be looked at cannot be worked in, for whatever reason: to the rule there is no such folder.
    return null;
  }
}

function ownFolder({ root, sessionId, agentName }: WorkDirectoryRequest): string {
  if (!isAbsolute(root)) {
    throw new TroupeError(
      'invalid_options',
      `root is ${describe(root)}: expected an absolute path`,
    );
  }
  const path = fallbackDirectory(root, sessionId, agentName);
  return translated(path, () => {
    mkdirSync(root, { recursive: true });
    let folder = realpathSync.native(root);
    for (const name of relative(root, path).split(sep)) {
      folder = join(folder, name);
      mkdirSync(folder, { recursive: true });
      // An agent that ran here before may have put a symlink in the place of a folder.
      if (realpathSync.native(folder) === folder) continue;
      const why = `${describe(path)} leads out of ${describe(root)}`;
      throw new TroupeError('outside_workspace', why);
    }
    const marker = join(dirname(folder), sessionMarker);
    // `wx` follows no symlink that an agent left under this name.
    if (!existsSync(marker)) writeFileSync(marker, '', { flag: 'wx' });
    return folder;
  });
}
