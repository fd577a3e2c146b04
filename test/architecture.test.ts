// Keeps the architecture: what docs/architecture.md and CONTRIBUTING.md say about every file of the source.
import { expect, test } from 'vitest';
import { circles } from './architecture/circles.ts';
import { forbiddenCalls, shapeProblems } from './architecture/code-rules.ts';
import { importProblems, packageProblems, packagesLoadedBy } from './architecture/import-rules.ts';
import { retiredNames } from './architecture/retired-words.ts';
import { parseSource } from './architecture/source.ts';
import { titleProblems } from './architecture/titles.ts';
import { textOf, topLevel, typescriptBelow } from './architecture/tree.ts';
import { unusedExports } from './architecture/unused-exports.ts';

const {
  dependencies,
  peerDependencies = {},
  exports: exported,
} = JSON.parse(textOf('package.json'));
const declared = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);

/** The source of an entry point's declarations. */
const sourceOf = (types: string) => types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts');
/** Files that a thread starts with: the build names them, no import does. */
const threadEntries = typescriptBelow('workers');

/** A module that several test files import is loaded once a process: this hook would be of the first file alone. */
const hookAtTopLevel = /^(before|after)(Each|All)\(/m;

const product = [...typescriptBelow('src'), ...typescriptBelow('workers')];
const sources = product.map((path) => parseSource(path, textOf(path)));
const users = ['test', 'bench'].flatMap(typescriptBelow);
const userSources = users.map((path) => parseSource(path, textOf(path)));
const byPath = new Map(sources.map((source) => [source.path, source]));

test('the top level is short, and nothing was left there', () => {
  const own = ['src', 'workers', 'test', 'bench', 'docs', 'examples', '.ci'];
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'LICENSE'];
  const later = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const known = new Set([...own, ...files, ...later, '.gitignore', '.git']);

  expect(topLevel().filter((name) => !known.has(name))).toEqual([]);
});

test('every folder imports only what stands left of it', () => {
  expect(sources.flatMap(importProblems)).toEqual([]);
});

test('no files import each other, values or types', () => {
  expect(circles(sources)).toEqual([]);
});

test('every package is declared and stays in its file', () => {
  expect(sources.flatMap((source) => packageProblems(source, declared))).toEqual([]);
});

test('no file says a forbidden word', () => {
  expect(sources.flatMap(forbiddenCalls)).toEqual([]);
});

test('no name has a retired word', () => {
  expect([...sources, ...userSources].flatMap(retiredNames)).toEqual([]);
});

test('every title is a sentence, with the ids of its rules last', () => {
  expect(userSources.flatMap(titleProblems)).toEqual([]);
});

test('every export is imported, or one of an entry point', () => {
  const entries = Object.values<string | { types: string }>(exported).map((entry) =>
    typeof entry === 'string' ? entry : sourceOf(entry.types),
  );

  expect(unusedExports(sources, userSources, new Set([...entries, ...threadEntries]))).toEqual([]);
});

test('every file is short and says what it owns', () => {
  expect([...product, ...users].flatMap((path) => shapeProblems(path, textOf(path)))).toEqual([]);
});

test('shared test modules have their hooks in every file of a process, by afterEveryTest', () => {
  const shared = typescriptBelow('test').filter(
    (path) => !/\.test\.ts$|^test\/setup\.ts$/.test(path),
  );

  expect(shared.filter((path) => hookAtTopLevel.test(textOf(path)))).toEqual([]);
});

test.each([
  ['workers/actor.ts', ['zod', 'piscina', '@anthropic-ai/sdk']],
  ['src/tool.ts', ['zod', 'piscina', '@anthropic-ai/sdk']],
  ['src/behavior.ts', ['zod', 'piscina', 'comlink', 'eventemitter3', '@anthropic-ai/sdk']],
  ['src/tools/call.ts', ['zod']],
  ['src/tools/toolsets.ts', ['zod']],
  ['src/index.ts', ['piscina', '@anthropic-ai/sdk', 'hono', 'undici', 'yaml']],
])('loading %s loads none of %j', (entry, heavy) => {
  const loaded = packagesLoadedBy(entry, byPath);

  expect(heavy.filter((name) => loaded.has(name))).toEqual([]);
});
