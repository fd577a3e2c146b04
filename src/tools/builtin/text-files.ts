// Owns the walk over the files below a path of the workspace: what is visited, in which order, what is left out.
import { type Dirent, readFileSync, statSync } from 'node:fs';
import { TroupeError } from '../../base/failures.ts';
import { keptFolder } from '../kept-results.ts';
import { openForReading, resolveInWorkspace, translated } from '../workspace.ts';
import { isBinary } from './file-content.ts';
import { entriesOf } from './list.ts';

const maxFileBytes = 1_048_576;
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', keptFolder]);

/** One stop of the walk, its path relative to the workspace. */
export type FoundFile = { readonly status: 'file' | 'unreadable'; readonly path: string };

/** A file that was opened; for what is no text, the status is the reason. */
export type Visited =
  | { readonly status: 'text'; readonly path: string; readonly text: string }
  | { readonly status: 'binary' | 'too_large' | 'unreadable'; readonly path: string };

/**
 * Finds every file below a path, sorted within each folder, without `node_modules` and `.git`. Symlinks are not followed: a
 * tree may contain a link to itself. A path that is a file is found alone. Throws for a path that cannot be visited;
 * a folder on the way that cannot be read is `unreadable`.
 */
export function* filesBelow(workspace: string, path: string): Generator<FoundFile> {
  const { absolute, shown } = resolveInWorkspace(workspace, path);
  if (translated(path, () => statSync(absolute)).isFile()) {
    yield { status: 'file', path: shown };
    return;
  }
  const pending: Found[] = inside(workspace, shown);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path: found, entry } = next;
    if (entry.isFile()) {
      yield { status: 'file', path: found };
    } else if (entry.isDirectory() && !skippedFolders.has(entry.name)) {
      const below = orUnreadable(found, () => inside(workspace, found));
      // One by one: as arguments of one call, those of a folder of half a million files would overflow the stack.
      if (Array.isArray(below)) for (const each of below) pending.push(each);
      else yield below;
    }
  }
}

/** Visits the files of `filesBelow`, one at a time; one that cannot be read is `unreadable`, unless it is the path itself. */
export function* textFilesBelow(workspace: string, path: string): Generator<Visited> {
  const { shown } = resolveInWorkspace(workspace, path);
  for (const { status, path: found } of filesBelow(workspace, path)) {
    if (status === 'unreadable') yield { status, path: found };
    else if (found === shown) yield visit(workspace, found);
    else yield orUnreadable(found, () => visit(workspace, found));
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

type Unreadable = { readonly status: 'unreadable'; readonly path: string };

function orUnreadable<T>(path: string, run: () => T): T | Unreadable {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof TroupeError) return { status: 'unreadable', path };
    throw thrown;
  }
}
