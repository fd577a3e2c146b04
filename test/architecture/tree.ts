// Owns the lists of the repository's files, for the keeper tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The root of the repository, without a `/` at its end. */
export const rootFolder = root.replace(/[\\/]$/, '');

/** The TypeScript files below a folder of the repository, from its root, with `/`, sorted. */
export function typescriptBelow(folder: string): readonly string[] {
  return filesBelow(folder, '.ts');
}

/** The same, of files whose name ends so. */
export function filesBelow(folder: string, ending: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
    .sort();
}

/** What stands in the root of the repository and git does not ignore, sorted. */
export function topLevel(): readonly string[] {
  const ignored = new Set(
    textOf('.gitignore')
      .split('\n')
      .map((line) => line.replace(/\/$/, '')),
  );
  return readdirSync(root)
    .filter((name) => !ignored.has(name) && !name.endsWith('.tgz'))
    .sort();
}

/** True for a file or folder of the repository. */
export function isThere(path: string): boolean {
  return existsSync(join(root, path));
}

/** The text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
