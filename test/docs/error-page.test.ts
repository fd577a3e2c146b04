// Keeps the page of errors current: it is what the list of failure codes makes.
import { expect, test } from 'vitest';
import { failureCodes, failureFixes } from '#src/base/failure-codes.js';
// @ts-expect-error a script is plain JavaScript
import { errorPage } from '../../.ci/error-page.mjs';
import { textOf } from '../architecture/tree.ts';

test('docs/errors.md is what .ci/error-page.mjs makes of the failure codes', () => {
  expect(textOf('docs/errors.md')).toBe(errorPage(failureFixes));
});

test('every failure code has a fix of its own words', () => {
  for (const code of failureCodes) expect(failureFixes[code]).toMatch(/^[A-Z].{10,}\.$/);
});
