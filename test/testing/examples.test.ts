// Keeps the documentation of `troupe/testing` true: every export has one, and every example runs and prints what it says.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as testing from '#src/testing.js';
import { textOf } from '../architecture/tree.ts';
import { startNode } from '../support/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Export = { readonly name: string; readonly doc: string };

/** What `src/testing.ts` exports, types included, with the comment in front of each declaration. */
function exportsOf(face: string): readonly Export[] {
  const lists = [...textOf(face).matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)];
  return lists.flatMap(([, names = '', from = '']) => {
    const source = textOf(posix.join(dirname(face), from));
    return names
      .split(',')
      .map((name) => name.replace('type ', '').trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, doc: docOf(source, name) }));
  });
}

function docOf(source: string, name: string): string {
  const declared = new RegExp(
    `^export (?:async )?(?:class|function|type|interface|const) ${name}\\b`,
    'm',
  );
  const at = source.search(declared);
  const before = source.slice(0, Math.max(at, 0));
  const doc = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(before)?.[0] ?? '';
  return doc.replaceAll(/^ \* ?/gm, '');
}

/** The programs of a comment. */
function programsOf(doc: string): readonly string[] {
  return [...doc.matchAll(/@example\n```js\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
}

/** What a program says it prints, a line each. */
function promisesOf(program: string): readonly string[] {
  return [...program.matchAll(/console\.log\(.*\); \/\/ → (.*)$/gm)].map(
    ([, expected = '']) => expected,
  );
}

const all = exportsOf('src/testing.ts');
const values = all.filter(({ name }) => name in testing);

test('every export of troupe/testing is documented, and every one that can be called has one example', () => {
  expect(values.map(({ name }) => name).sort()).toEqual(Object.keys(testing).sort());
  expect(all.filter(({ doc }) => doc === '').map(({ name }) => name)).toEqual([]);
  expect(values.filter(({ doc }) => programsOf(doc).length !== 1)).toEqual([]);
});

test.each(values)('the example of $name prints what it says', async ({ doc }) => {
  const [program = ''] = programsOf(doc);
  const promises = promisesOf(program);
  // An empty folder below the package, so that the package's own name leads to the build.
  const folder = mkdtempSync(join(root, 'dist', 'example-'));
  writeFileSync(join(folder, 'program.js'), program);

  try {
    const { code, stdout, stderr } = await startNode(['program.js'], { cwd: folder }).ended;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(promises.length).toBeGreaterThan(0);
    expect(program.match(/console\.log/g)).toHaveLength(promises.length);
    expect(stdout.trimEnd().split('\n')).toEqual(promises);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
