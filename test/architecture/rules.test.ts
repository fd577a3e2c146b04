// Proves that the keepers see a planted violation, and let pass what only looks like one.
import { expect, test } from 'vitest';
import { circles } from './circles.ts';
import { forbiddenCalls, shapeProblems } from './code-rules.ts';
import { importProblems, packageProblems, packagesLoadedBy } from './import-rules.ts';
import { retiredNames } from './retired-words.ts';
import { parseSource } from './source.ts';
import { titleProblems } from './titles.ts';
import { unusedExports } from './unused-exports.ts';

test.each([
  ['src/actor/cell.ts', "import { Supervisor } from '../supervision/supervisor.ts';"],
  ['src/actor/cell.ts', "export * from '../agent/turn.ts';"],
  ['src/actor/cell.ts', "export { x } from '../agent/turn.ts';"],
  ['src/actor/cell.ts', "const x = await import('../agent/turn.ts');"],
  ['src/actor/cell.ts', "type X = import('../agent/turn.ts').X;"],
  ['src/actor/cell.ts', "import '../threads/worker-pool.ts';"],
  ['src/base/failures.ts', "import { x } from '../actor/cell.ts';"],
  ['src/base/clock.ts', "import { x } from '../supervisor/supervisor.ts';"],
  ['src/tools/a.ts', "import { x } from '../models/model.ts';"],
  ['src/tools/a.ts', "import { type X } from '../models/model.ts';"],
  ['src/tools/builtin/a.ts', "import { x } from '../../actor/cell.ts';"],
  ['src/models/a.ts', "import type { X } from '../tools/tool.ts';"],
  ['src/agent/a.ts', "import { x } from '../tasks/task.ts';"],
  ['src/agent/a.ts', "import { x } from '../threads/worker-slot.ts';"],
  ['src/protocol/a.ts', "import { x } from '../actor/cell.ts';"],
  ['src/protocol/a.ts', "import type { X } from '../models/model.ts';"],
  ['src/protocol/a.ts', "import type { X } from '../agent/run/record.ts';"],
  ['src/tasks/a.ts', "import { x } from '../threads/worker-pool.ts';"],
  ['src/tasks/a.ts', "import { x } from '../sessions/board.ts';"],
  ['src/sessions/a.ts', "import { x } from '../dialects/a.ts';"],
  ['src/supervisor/a.ts', "import type { X } from '../dialects/scope/scope.ts';"],
  ['src/index.ts', "export { x } from './dialects/scope/index.ts';"],
  ['src/cli/a.ts', "import { x } from '../dialects/scope/scope.ts';"],
  ['src/dialects/scope/index.ts', "export { x } from '../claude-code/task-tool.ts';"],
  ['src/dialects/scope/a.ts', "import type { X } from '../claude-code/task-tool.ts';"],
  ['src/dialects/scope/a.ts', "import { x } from '../../threads/worker-slot.ts';"],
  ['src/threads/a.ts', "import { x } from '../agent/a.ts';"],
  ['src/observe/a.ts', "import { x } from '../agent/a.ts';"],
  ['src/cli/a.ts', "import { x } from '../supervisor/supervisor.ts';"],
  ['src/supervisor/a.ts', "import x from '../../workers/actor.ts';"],
  ['src/index.ts', "import type { X } from '../workers/actor.ts';"],
  ['workers/actor.ts', "import type { X } from '../src/threads/worker-pool.ts';"],
  ['workers/actor.ts', "import { x } from '../src/supervisor/supervisor.ts';"],
  ['src/tool.ts', "export { x } from './agent/a.ts';"],
  ['src/behavior.ts', "export { x } from './threads/a.ts';"],
  ['src/tools/a.ts', "import { x } from '../utils/x.ts';"],
  ['src/utils/x.ts', 'export const x = 1;'],
  ['src/helpers.ts', 'export const x = 1;'],
])('refuses in %s: %s', (path, text) => {
  expect(importProblems(parseSource(path, text))).toHaveLength(1);
});

test.each([
  ['src/tools/a.ts', "import { x } from '../base/failures.ts'; import { y } from './b.ts';"],
  ['src/tools/a.ts', "import type { X } from '../models/model.ts';"],
  ['src/tools/builtin/a.ts', "import { x } from '../b.ts';"],
  ['src/models/a.ts', "import type { X } from '../actor/cell.ts';"],
  ['src/observe/a.ts', "import type { X } from '../supervision/child-spec.ts';"],
  ['src/agent/a.ts', "import { x } from '../tools/call.ts'; import { z } from 'zod';"],
  ['src/threads/a.ts', "import { x } from '../actor/cell.ts';"],
  ['src/supervisor/a.ts', "import { x } from '../threads/worker-pool.ts';"],
  [
    'src/dialects/scope/a.ts',
    "import { x } from './b.ts'; import { y } from '../../tools/call.ts';",
  ],
  ['src/dialects/agent-family/subagent/a.ts', "import { x } from '../base/msg.ts';"],
  ['src/cli/a.ts', "import { x } from '../index.ts'; import { y } from '../observe/tree.ts';"],
  ['src/cli/a.ts', "import { x } from '../dialects/scope/index.ts';"],
  ['src/dialects/scope/index.ts', "export { x } from './scope.ts';"],
  ['src/index.ts', "export { x } from './supervisor/supervisor.ts';"],
  ['src/actor.ts', "export { x } from './supervisor/supervisor.ts';"],
  ['src/behavior.ts', "export { x } from './actor/behavior.ts';"],
  ['workers/actor.ts', "import { x } from '../src/protocol/shared-flags.ts';"],
  ['src/actor/a.ts', "// import { x } from '../agent/a.ts'\nconst s = `\nimport '../agent/a.ts'`;"],
])('allows in %s: %s', (path, text) => {
  expect(importProblems(parseSource(path, text))).toEqual([]);
});

const declared = new Set(['piscina', 'comlink', '@anthropic-ai/sdk', 'zod', 'commander']);

test.each([
  ['src/threads/worker-slot.ts', 'piscina', false],
  ['src/threads/piscina-threads.ts', 'piscina', true],
  ['src/threads/worker-pool.ts', 'piscina', false],
  ['src/threads/rpc-server.ts', 'comlink', true],
  ['src/threads/link-filter.ts', 'comlink', false],
  ['workers/actor.ts', 'comlink', true],
  ['src/threads/worker-slot.ts', 'comlink', false],
  ['src/models/gateway/gateway.ts', '@anthropic-ai/sdk/resources', false],
  ['src/models/providers/anthropic.ts', '@anthropic-ai/sdk/resources', true],
  ['src/agent/a.ts', 'commander', false],
  ['src/cli/main.ts', 'commander', true],
  ['src/agent/a.ts', 'zod', true],
  ['src/agent/a.ts', 'node:fs', true],
  ['src/agent/a.ts', 'left-pad', false],
])('in %s an import of %s is allowed: %s', (path, specifier, isAllowed) => {
  for (const text of [`import type { X } from '${specifier}';`, `await import('${specifier}');`]) {
    expect(packageProblems(parseSource(path, text), declared)).toHaveLength(isAllowed ? 0 : 1);
  }
});

test('follows the imports that load with a file, and no others', () => {
  const files = {
    'src/index.ts': "export { a } from './a/a.ts'; import type { T } from './t.ts';",
    'src/a/a.ts': "import { b } from '../b.ts'; await import('./lazy.ts'); import './a.ts';",
    'src/b.ts': "import 'zod'; import type { X } from 'hono'; import 'node:fs';",
    'src/t.ts': "import 'piscina';",
    'src/a/lazy.ts': "import 'undici';",
  };
  const parsed = Object.entries(files).map(([path, text]) => parseSource(path, text));
  const sources = new Map(parsed.map((source) => [source.path, source]));

  expect([...packagesLoadedBy('src/index.ts', sources)]).toEqual(['zod']);
  expect(() => packagesLoadedBy('src/none.ts', sources)).toThrow('src/none.ts does not exist');
});

test.each([
  'const x = Date.now();',
  'const x = performance.now();',
  'const x = new Date();',
  'setTimeout(() => {}, 1);',
  'globalThis.setInterval(() => {}, 1);',
  'const later = setTimeout;',
  "import { scheduler } from 'node:timers/promises';",
  'const x = AbortSignal.timeout(5);',
  'const x = { random: Math.random };',
  'const x = Math.random().toString();',
  'let x: any;',
  'const x = y as Record<string, any>;',
  'enum Color { red }',
  'const enum Color { red }',
  "console.error('x');",
  "signal?.addEventListener('abort', stop);",
  'export default 1;',
  "process.on('exit', x);",
  'process.exit(1);',
])('refuses in src/agent/a.ts: %s', (text) => {
  expect(forbiddenCalls(parseSource('src/agent/a.ts', text))).toHaveLength(1);
});

test.each([
  ['src/agent/a.ts', '// Date.now() and any\n/* setTimeout(x) */ const x = "Math.random()";'],
  ['src/agent/a.ts', 'const any = { enum: 1, console: 2 }; Promise.any([any.enum]);'],
  ['src/agent/a.ts', 'const x = new Date(clock.wallTime()); clock.now();'],
  ['src/agent/a.ts', 'const x = /console.log/; const y = `setTimeout(`;'],
  ['src/base/clock.ts', 'setTimeout(() => Date.now(), Math.random());'],
  ['workers/actor.ts', 'export default () => process.exit(1);'],
  ['src/cli/main.ts', "process.on('SIGINT', stop); process.stdout.write('x');"],
])('allows in %s: %s', (path, text) => {
  expect(forbiddenCalls(parseSource(path, text))).toEqual([]);
});

test('says where a violation is', () => {
  const source = parseSource('src/agent/a.ts', 'const a = 1;\n\nconst b = Date.now();');

  expect(forbiddenCalls(source)).toEqual(['src/agent/a.ts:3: no Date.now here']);
});

test.each([
  ['300 lines', `// Owns\n${'x;\n'.repeat(299)}`, 0],
  ['301 lines', `// Owns\n${'x;\n'.repeat(300)}`, 1],
  ['no first comment', 'x;\n', 1],
  ['a first comment behind a shebang', '#!/usr/bin/env node\n// Owns\n', 0],
])('judges the shape of a file with %s', (_case, text, problems) => {
  expect(shapeProblems('src/a.ts', text)).toHaveLength(problems);
});

test('finds files that import each other, types alone as well', () => {
  const files = {
    'src/a/a.ts': "import { b } from './b.ts';",
    'src/a/b.ts': "import type { C } from '../c/c.ts';",
    'src/c/c.ts': "import { a } from '../a/a.ts'; import { d } from './d.ts';",
    'src/c/d.ts': "import { e } from './e.ts';",
    'src/c/e.ts': 'export const e = 1;',
    'src/c/f.ts': "import type { G } from './g.ts';",
    'src/c/g.ts': "const f = await import('./f.ts');",
  };
  const parsed = Object.entries(files).map(([path, text]) => parseSource(path, text));

  expect(circles(parsed)).toEqual([
    ['src/a/a.ts', 'src/a/b.ts', 'src/c/c.ts'],
    ['src/c/f.ts', 'src/c/g.ts'],
  ]);
});

test('a retired word is found in a name and in a file name, not in a text or a comment', () => {
  const text =
    "const hostHeld = 1; // held\nclass A { #told = 'said'; mostTurns = 2; withhold() {} }";

  expect(retiredNames(parseSource('src/agent/desk-queue.ts', text))).toEqual([
    'src/agent/desk-queue.ts: the file\'s name has the word "desk"',
    'src/agent/desk-queue.ts:1: the name hostHeld has the word "held"',
    'src/agent/desk-queue.ts:2: the name told has the word "told"',
    'src/agent/desk-queue.ts:2: the name mostTurns has the word "most"',
  ]);
});

test('an export is found that nothing imports, a type when nothing is made of it either', () => {
  const a = [
    'export const used = 1; export const tested = 2; export function unused() {}',
    'export type Part = { x: 1 }; export type Whole = Part[]; export class Kept {}',
  ];
  const product = [
    parseSource('src/tools/a.ts', a.join('\n')),
    parseSource('src/tools/b.ts', "import { used } from './a.ts'; export { Kept } from './a.ts';"),
    parseSource('src/tools/c.ts', 'export const whole = 1;'),
  ];
  const users = [
    parseSource('test/a.test.ts', "import { tested as t } from '#src/tools/a.js';"),
    parseSource('bench/b.ts', "import * as all from '#src/tools/c.js';"),
  ];

  expect(unusedExports(product, users, new Set(['src/tools/b.ts']))).toEqual([
    'src/tools/a.ts: nothing imports unused',
    'src/tools/a.ts: nothing imports Whole',
  ]);
});

test('a title that begins with the id of a rule is found, in every way to write a test', () => {
  const written = [
    ['it', 'M1 stops'],
    ['it.each([1])', 'S2 stops %s'],
    ['test.only', 'L1 stops'],
    ['it', 'stops (M1)'],
    ['describe', 'F1'],
    ['run', 'M1 stops'],
  ].map(([call, title]) => `${call}('${title}');`);

  expect(titleProblems(parseSource('test/a.test.ts', written.join('\n')))).toEqual(
    [1, 2, 3].map((line) => `test/a.test.ts:${line}: the ids of rules stand last in a title`),
  );
});
