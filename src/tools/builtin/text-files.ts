// Owns the walk over the text files below a path of the workspace: what is visited, in which order, what is left out.
import { type Dirent, readFileSync, statSync } from 'node:fs';
import { TroupeError } from '../../base/failures.ts';
import { keptFolder } from '../kept-results.ts';
import { openForReading, resolveInWorkspace, translated } from '../workspace.ts';
import { isBinary } from './file-content.ts';
import { entriesOf } from './list.ts';

const maxFileBytes = 1_048_576;
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', keptFolder]);

/** One stop of the walk, its path relative to the workspace; for what is no text, the status is the reason. */
export type Visited =
  | { readonly status: 'text'; readonly path: string; readonly text: string }
  | { readonly status: 'binary' | 'too_large' | 'unreadable'; readonly path: string };

/**
 * Visits every file below a path, one at a time, sorted within each folder, without `node_modules` and `.git`.
 * Symlinks are not followed: a tree may contain a link to itself. A path that is a file is visited alone.
 * Throws for a path that cannot be visited; what is met on the way and cannot be read is `unreadable`.
 */
export function* textFilesBelow(workspace: string, path: string): Generator<Visited> {
  const { absolute, shown } = resolveInWorkspace(workspace, path);
  if (translated(path, () => statSync(absolute)).isFile()) {
    yield visit(workspace, shown);
    return;
  }
  const pending: Found[] = inside(workspace, shown);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path: found, entry } = next;
    if (entry.isFile()) {
      yield orUnreadable(found, () => visit(workspace, found));
    } else if (entry.isDirectory() && !skippedFolders.has(entry.name)) {
      const below = orUnreadable(found, () => inside(workspace, found));
      // One by one: as arguments of one call, those of a folder of half a million files would overflow the stack.
      if (Array.isArray(below)) for (const each of below) pending.push(each);
      else yield below;
    }
  }
}

type Found = { readonly path: string; readonly entry: Dirent };

/** The entries of a folder, last one first: the walk takes them from the end. */
function inside(workspace: string, folder: string): Found[] {
  const prefix = folder === '.' ? '' : `${folder}/`;
  // Found anew at every folder: one that became a symlink since its parent was listed is not followed out.
  return entriesOf(workspace, folder)
    .map((entry) => ({ path: `${prefix}${entry.name}`, entry }))
    .reverse();
}

function visit(workspace: string, path: string): Visited {
  const file = openForReading(workspace, path);
  try {
    if (file.stats.size > maxFileBytes) return { status: 'too_large', path };
    const bytes = translated(path, () => readFileSync(file.descriptor));
    if (isBinary(bytes)) return { status: 'binary', path };
    return { status: 'text', path, text: bytes.toString('utf8') };
  } finally {
    file.close();
  }
}

function orUnreadable<T>(path: string, run: () => T): T | Visited {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof TroupeError) return { status: 'unreadable', path };
    throw thrown;
  }
}
