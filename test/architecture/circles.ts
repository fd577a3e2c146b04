// Owns the search for circles: files that import each other, at run time or for their types alone.
import { localTarget } from './import-rules.ts';
import type { Source } from './source.ts';

/** The groups of files of which each reaches every other by imports; each group and its files sorted. */
export function circles(sources: readonly Source[]): readonly (readonly string[])[] {
  const known = new Set(sources.map(({ path }) => path));
  const imports = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ specifier }) => {
        const target = localTarget(path, specifier);
        return target !== null && known.has(target) ? target : [];
      }),
    ]),
  );
  const reached = new Map(sources.map(({ path }) => [path, reachedFrom(path, imports)]));
  const groups = sources.flatMap(({ path }) => {
    if (reached.get(path)?.has(path) !== true) return [];
    const group = [...known].filter(
      (other) => reached.get(path)?.has(other) && reached.get(other)?.has(path),
    );
    // Each group once, by its first file.
    return [...group].sort()[0] === path ? [group.sort()] : [];
  });
  return groups.sort((one, other) => String(one[0]).localeCompare(String(other[0])));
}

/** What a file imports, and what that imports; itself only when it is in a circle. */
function reachedFrom(
  path: string,
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [...(imports.get(path) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    pending.push(...(imports.get(next) ?? []));
  }
  return reached;
}
