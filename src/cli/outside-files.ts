// Owns which files the agents of a job could not read: the file tools keep to the working folder. Looks at paths only.
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Files that are named one by one. */
const maxNamed = 3;

/** Those of the files that agents with these tools cannot read because they are outside of their folder, links followed. */
export function filesOutside(
  files: readonly string[],
  { folder, toolsets }: { readonly folder: string; readonly toolsets: readonly string[] },
): readonly string[] {
  // A shell reads whatever the user may read; without either toolset no agent opens a file.
  if (!toolsets.includes('file') || toolsets.includes('terminal')) return [];
  const root = realPathOf(folder);
  return files.filter((file) => !isWithin(root, realPathOf(resolve(root, file))));
}

/** `outside of /work, which the file tools cannot leave: ../a.md, ../b.md and 3 more`. */
export function outsideText(outside: readonly string[], folder: string): string {
  const more = outside.length - maxNamed;
  const named = outside.slice(0, maxNamed).join(', ');
  return `outside of ${folder}, which the file tools cannot leave: ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A path that leads nowhere stays as it is: that there is no such file is for the agent to find. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
