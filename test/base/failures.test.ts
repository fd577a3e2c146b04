// Keeps the closed list of failure codes honest: every code is produced by the product and asserted by some test.

import { expect, test } from 'vitest';
import { failureCodes } from '#src/base/failures.js';
import { parseSource } from '../architecture/source.ts';
import { textOf, typescriptBelow } from '../architecture/tree.ts';

/** Every text literal of these files, but one. */
function textsOf(files: readonly string[], except: string): ReadonlySet<unknown> {
  const nodes = files
    .filter((path) => path !== except)
    .flatMap((path) => parseSource(path, textOf(path)).nodes);
  return new Set(nodes.filter((node) => node.type === 'Literal').map((node) => node['value']));
}

test('every failure code is produced by the product and asserted by a test', () => {
  const produced = textsOf(
    [...typescriptBelow('src'), ...typescriptBelow('workers')],
    'src/base/failures.ts',
  );
  const asserted = textsOf(typescriptBelow('test'), 'test/base/failures.test.ts');

  expect({
    'never produced': failureCodes.filter((code) => !produced.has(code)),
    'never asserted': failureCodes.filter((code) => !asserted.has(code)),
  }).toEqual({ 'never produced': [], 'never asserted': [] });
});

test('no failure code is listed twice', () => {
  expect(new Set(failureCodes).size).toBe(failureCodes.length);
});
