// Owns the hooks of every test file: cleanups, and the check that no test leaves anything alive. Loaded anew before each file.
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { census, lastingLeaks } from './leaks.ts';
import { cleanups } from './support/after-every-test.ts';

// Set up here means: beforeEach after a file's beforeAll, afterEach and afterAll after all hooks of the file.
const atFileStart = census();
let atTestStart = atFileStart;

beforeEach(() => {
  atTestStart = census();
});

afterEach(async () => {
  expect(await lastingLeaks(atTestStart), 'left alive by this test').toEqual([]);
});

afterAll(async () => {
  expect(await lastingLeaks(atFileStart), 'left alive by this file').toEqual([]);
});

for (const cleanup of cleanups) afterEach(cleanup);
