// Keeps the public names: an entry point that gains or loses one changes the committed list with it.
import { describe, expect, it } from 'vitest';
import { entryPoints } from './entry-points.ts';

const all = entryPoints();

describe('the entry points', () => {
  it('export the names of the committed list, and no others', async () => {
    const listed = all.map(({ specifier, names }) =>
      [`${specifier} (${names.length})`, ...names.map((name) => `  ${name}`), ''].join('\n'),
    );

    await expect(listed.join('\n')).toMatchFileSnapshot('entry-points.txt');
  });

  it.each(all)('$specifier has the values that its source names', async ({ file, values }) => {
    const loaded: object = await import(
      /* @vite-ignore */ new URL(`../../${file}`, import.meta.url).href
    );

    expect(Object.keys(loaded).sort()).toEqual(values);
  });

  it('export nothing of a dialect from `troupe`', () => {
    const [index, ...others] = all;
    const ofDialects = others
      .filter(({ path }) => path.startsWith('src/dialects/'))
      .flatMap(({ names }) => names);

    expect(ofDialects.length).toBeGreaterThan(50);
    expect(index?.names.filter((name) => ofDialects.includes(name))).toEqual([]);
  });
});
