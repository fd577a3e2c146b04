// The entry points of package.json, and the names that the source of each exports.
import { z } from 'zod';
import { textOf } from '../architecture/tree.ts';

export type EntryPoint = {
  /** As a program imports it: `troupe/tool`. */
  readonly specifier: string;
  /** Of its source in the repository. */
  readonly path: string;
  /** What a program loads. */
  readonly file: string;
  /** Of values and types, sorted. */
  readonly names: readonly string[];
  readonly values: readonly string[];
};

const packageSchema = z.object({
  exports: z.record(
    z.string(),
    z.union([z.string(), z.object({ types: z.string(), default: z.string() })]),
  ),
});

/** Those with names: not the entry of a thread, nor package.json. */
export function entryPoints(): readonly EntryPoint[] {
  const { exports } = packageSchema.parse(JSON.parse(textOf('package.json')));
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string' || subpath === './worker') return [];
    const path = target.types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts');
    const specifier = subpath.replace(/^\./, 'troupe');
    return { specifier, path, file: target.default, ...namesOf(textOf(path)) };
  });
}

function namesOf(text: string): Pick<EntryPoint, 'names' | 'values'> {
  const exported = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(
    ([, type, list = '']) =>
      list
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')
        .map((each) => ({
          name: each.replace(/^type /, ''),
          isType: type !== undefined || each.startsWith('type '),
        })),
  );
  return {
    names: exported.map(({ name }) => name).sort(),
    values: exported.flatMap(({ name, isType }) => (isType ? [] : name)).sort(),
  };
}
