// Keeps the page of requirements current: each row names the tests that show it, each id that code cites is on a page.
import { expect, test } from 'vitest';
// @ts-expect-error a script is plain JavaScript
import { requirementsPage } from '../../.ci/requirements-page.mjs';
import { textOf, typescriptBelow } from '../architecture/tree.ts';

const page = textOf('docs/requirements.md');
const rows = [...page.matchAll(/^- \*\*([A-Z]\d+)\*\*[\s\S]*?\bTests: (.*)$/gm)];

test('docs/requirements.md is what .ci/requirements-page.mjs makes of the titles of the tests', () => {
  expect(page, 'node .ci/requirements-page.mjs renews it').toBe(requirementsPage(page));
});

test('every requirement has a test, but for what is not built yet', () => {
  expect(rows.length).toBeGreaterThan(300);
  expect(
    rows.filter(([, , tests = '']) => !tests.includes('(../test/')).map(([, id]) => id),
  ).toEqual(['F25']);
});

test('every rule has its row, and every row its rule', () => {
  const rules = textOf('docs/semantics.md').match(/(?<=^- \*\*)[A-Z]\d+(?=\*\*)/gm);

  expect(rows.map(([, id = '']) => id).filter((id) => /[MSVWPLOJ]/.test(id))).toEqual(rules);
});

test('every id that a comment cites in brackets is on a page', () => {
  const known = new Set(rows.map(([, id]) => id));
  for (const id of textOf('docs/performance.md').match(/\bT\d+\b/g) ?? []) known.add(id);
  const cited = ['src', 'workers', 'test', 'bench']
    .flatMap(typescriptBelow)
    .flatMap((path) =>
      [...textOf(path).matchAll(/\(([A-Z]\d+(?:(?:,| to) [A-Z]\d+)*)\)/g)].flatMap(([, ids = '']) =>
        ids.split(/, | to /).map((id) => ({ path, id })),
      ),
    );

  expect(cited.length).toBeGreaterThan(400);
  expect(cited.filter(({ id }) => !known.has(id))).toEqual([]);
});
