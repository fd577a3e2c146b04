// Keeps the closed list of failure codes honest: every code is produced by the product and asserted by some test.

import { expect, test } from 'vitest';
import { failureCodes } from '#src/base/failures.js';
import { parseSource } from '../architecture/source.ts';
import { textOf, typescriptBelow } from '../architecture/tree.ts';

/** Codes that are no text literal of these files, but one; what has none of those still missing is not parsed. */
function missingIn(files: readonly string[], except: string): readonly string[] {
  const missing = new Set<unknown>(failureCodes);
  for (const path of files) {
    const text = textOf(path);
    if (path === except || !failureCodes.some((code) => missing.has(code) && text.includes(code))) {
      continue;
    }
    for (const node of parseSource(path, text).nodes) {
      if (node.type === 'Literal') missing.delete(node['value']);
    }
  }
  return failureCodes.filter((code) => missing.has(code));
}

test('every failure code is produced by the product and asserted by a test', () => {
  const product = [...typescriptBelow('src'), ...typescriptBelow('workers')];

  expect({
    'never produced': missingIn(product, 'src/base/failures.ts'),
    'never asserted': missingIn(typescriptBelow('test'), 'test/base/failures.test.ts'),
  }).toEqual({ 'never produced': [], 'never asserted': [] });
});

test('no failure code is listed twice', () => {
  expect(new Set(failureCodes).size).toBe(failureCodes.length);
});
