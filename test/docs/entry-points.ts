// The entry points of package.json, and the names that the source of each exports.
import { z } from 'zod';
import { textOf } from '../architecture/tree.ts';

export type EntryPoint = {
  /** As a program imports it: `troupe/tool`. */
  readonly specifier: string;
  /** Of its source in the repository. */
  readonly path: string;
  /** Of values and types, sorted. */
  readonly names: readonly string[];
  readonly values: readonly string[];
};

const packageSchema = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })])),
});

/** Those with names: not the entry of a thread, nor package.json. */
export function entryPoints(): readonly EntryPoint[] {
  const { exports } = packageSchema.parse(JSON.parse(textOf('package.json')));
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string' || subpath === './worker') return [];
    const path = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts');
    return { specifier: subpath.replace(/^\./, 'troupe'), path, ...namesOf(textOf(path)) };
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
