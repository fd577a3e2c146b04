// Checks the code review as its user has it: a folder of theirs, this repository, and a Ctrl-C in the middle.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, startNode } from '../support/command.ts';

const script = fileURLToPath(new URL('../../examples/code-review/main.js', import.meta.url));

const review = (...args: readonly string[]) =>
  startNode([script, ...args], { cwd: folderWith() }).ended;

/** The lines of the table, their columns set apart. */
const columns = (stdout: string): readonly (readonly string[])[] =>
  (stdout.split('\n\n')[0] ?? '').split('\n').map((line) => line.split(/ {2,}/));

describe('the code review', () => {
  test('has a reviewer for each source file, a table of what they found, and a summary (D19)', async () => {
    const folder = folderWith({
      'calm.ts': 'export const one = 1;\n',
      'deep/wild.js': 'let x;\neval(x);\n// TODO\n',
      'two words.ts': 'export let any: any;\n',
      'notes.md': 'TODO\n',
      'types.d.ts': 'declare const x: any;\n',
      'node_modules/other/index.js': 'eval(1);\n',
    });

    const { code, stdout, stderr } = await review(folder);

    expect(code).toBe(0);
    expect(columns(stdout)).toEqual([
      ['file', 'findings', 'worst', 'first'],
      ['deep/wild.js', '2', 'high', 'line 2: runs text as code'],
      ['two words.ts', '1', 'medium', 'line 1: gives up its type'],
    ]);
    expect(stdout).toMatch(/^3 of 3 files were reviewed\.\n1 high, 2 medium, 0 low\./m);
    expect(stdout).toContain('Begin with deep/wild.js, line 2');
    expect(stderr.trim().split('\n').sort()).toEqual([
      'calm.ts: completed',
      'deep/wild.js: completed',
      'two words.ts: completed',
    ]);
    expect(readdirSync(folder), 'nothing is left behind').toHaveLength(6);
  });

  test('reviews every file of this repository’s src when it is told nothing', async () => {
    const src = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(src, { recursive: true }).filter((name) =>
      /\.ts$/.test(String(name)),
    );

    const { code, stdout } = await review();

    expect(code).toBe(0);
    expect(stdout).toContain(`\n${files.length} of ${files.length} files were reviewed.\n`);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^\d+ high, \d+ medium, \d+ low\./);
  });

  test('says which file could not be reviewed, sums up the others, and ends with code 1', async () => {
    const folder = folderWith({ 'binary.js': '\u0000', 'calm.ts': 'export const one = 1;\n' });

    const { code, stdout } = await review(folder);

    expect(code).toBe(1);
    expect(columns(stdout).at(-1)?.slice(0, 3)).toEqual(['binary.js', '-', 'failed']);
    expect(stdout).toContain('\n1 of 2 files were reviewed.\n');
  });

  test('is told of a folder that is not there, and starts nothing', async () => {
    expect(await review('/nowhere/at/all')).toEqual({
      code: 2,
      stdout: '',
      stderr: '/nowhere/at/all is no folder\n',
    });
  });

  test('has at most eight reviewers at once, and keeps on Ctrl-C what is finished (S9)', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `file${at}.js`);
    const folder = folderWith(Object.fromEntries(names.map((name) => [name, '1;\n'])));
    const findings = [{ line: 1, severity: 'low', what: 'says nothing' }];
    const verdict = { id: 'c1', name: 'generate_response', input: { findings } };
    const model = await startStubModelServer([
      ...Array.from({ length: 2 }, () => ({ type: 'message', toolCalls: [verdict] }) as const),
      ...Array.from({ length: 8 }, () => ({ type: 'silence', text: 'Hm' }) as const),
    ]);
    const env = { ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: model.url };

    try {
      const args = [script, folder, '--model', 'anthropic:claude-x'];
      const running = startNode(args, { cwd: folderWith(), env });
      // Two that were answered, and eight that wait: there is no room for an eleventh.
      for (let nth = 0; nth < 10; nth += 1) await model.nextRequest();
      await running.says(/(?:completed[\s\S]*){2}/);
      running.child.kill('SIGINT');
      const { code, stdout } = await running.ended;

      expect(code).toBe(130);
      const [, ...rows] = columns(stdout);
      expect(rows).toHaveLength(10);
      expect(rows.filter(([, , worst]) => worst === 'interrupted')).toHaveLength(8);
      expect(rows.filter((row) => row.at(-1) === 'line 1: says nothing')).toHaveLength(2);
      expect(stdout).toContain('\n2 of 10 files were reviewed.\nNobody summed it up: interrupted.');
      // What Ctrl-C made room for was not begun any more.
      expect(model.requests()).toHaveLength(10);
    } finally {
      await model.close();
    }
  });
});
