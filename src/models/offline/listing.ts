// Owns how the offline model looks around when a goal names no file: folder by folder, to a depth. Pure.
import { findPaths } from './digest.ts';
import { requestOf } from './reading-plan.ts';
import type { ToolCallSoFar } from './run-so-far.ts';

/** Levels of folders, and folders of one turn. */
const maxLevels = 4;
const maxFolders = 16;

const folderToken = /(?<![\w/:.@*-])(?:[\w@.-]+\/)+(?=[\s,;:!?)"'`]|$)/g;
/** Data, logs and locks are no reading. */
const isData = /\.(?:jsonl|csv|tsv|log|lock)$|(?:^|\/)package-lock\.json$/i;
const isLeftOut = /^(?:\.|node_modules\/$)/;

/** What was found so far, and the folders to list next. */
export type Listing = { readonly files: readonly string[]; readonly next: readonly string[] };

/** Begins with the folders that the goal names, else with the workspace. */
export function lookAround(goal: string, calls: readonly ToolCallSoFar[]): Listing {
  const named = requestOf(goal).match(folderToken) ?? [];
  const listings = calls.filter(({ name }) => name === 'list');
  const tried = new Set(listings.map(({ path }) => path));
  const files: string[] = [];
  let level: readonly string[] = named.length > 0 ? [...new Set(named)] : ['.'];
  for (let depth = 0; depth < maxLevels && level.length > 0; depth += 1) {
    const missing = level.filter((folder) => !tried.has(folder));
    if (missing.length > 0) return { files, next: missing.slice(0, maxFolders) };
    const entries = level.flatMap((folder) => entriesOf(folder, listings));
    files.push(...entries.filter(isReading));
    level = entries.filter((entry) => entry.endsWith('/'));
  }
  return { files, next: [] };
}

function entriesOf(folder: string, listings: readonly ToolCallSoFar[]): readonly string[] {
  const listing = listings.find(({ path, isError }) => path === folder && !isError);
  const inside = folder === '.' ? '' : folder.replace(/\/*$/, '/');
  return (listing?.text ?? '')
    .split('\n')
    .filter((name) => name !== '' && !isLeftOut.test(name))
    .map((name) => inside + name);
}

function isReading(path: string): boolean {
  return !path.endsWith('/') && !isData.test(path) && findPaths(path)[0] === path;
}
