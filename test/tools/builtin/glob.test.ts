// Proves the tool `glob` on real folders: what matches, in which order, what is left out, and what is refused.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { globTool } from '#src/tools/builtin/glob.js';
import { callTool } from '#src/tools/call.js';
import { temporaryFolder, toolContext } from '../../fixtures/tool-context.ts';

const paths = [
  'README.md',
  'src/a.ts',
  'src/b.js',
  'src/deep/c.ts',
  '.github/ci.yml',
  'node_modules/x/y.ts',
  '.git/config',
];

function workspaceOf(names: readonly string[]): string {
  const workspace = temporaryFolder();
  for (const name of names) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), '');
  }
  return workspace;
}

const glob = (workspace: string, input: object, context = {}) =>
  callTool(globTool, input, toolContext({ workspace, ...context }), { maxResultChars: 100_000 });

describe('glob', () => {
  it.each([
    ['**/*.ts', {}, 'src/a.ts\nsrc/deep/c.ts'],
    ['*.md', {}, 'README.md'],
    ['./src/*', {}, 'src/a.ts\nsrc/b.js'],
    ['src/*.{ts,js}', {}, 'src/a.ts\nsrc/b.js'],
    ['**', {}, '.github/ci.yml\nREADME.md\nsrc/a.ts\nsrc/b.js\nsrc/deep/c.ts'],
    ['*.ts', { path: 'src' }, 'src/a.ts'],
    ['*.ts', { path: './src/deep/' }, 'src/deep/c.ts'],
    ['*.ts', { path: 'src/a.ts' }, 'src/a.ts'],
    ['*.ts', {}, 'no match among 5 files'],
    ['**', { maxResults: 2 }, '.github/ci.yml\nREADME.md\n[cut: the first 2 files shown]'],
  ])('finds %s with %j', async (pattern, input, content) => {
    const workspace = workspaceOf(paths);

    expect(await glob(workspace, { pattern, ...input })).toEqual({ content, isError: false });
  });

  it('follows no symlink', async () => {
    const workspace = workspaceOf(['a.ts']);
    symlinkSync(workspace, join(workspace, 'again'));

    expect((await glob(workspace, { pattern: '**' })).content).toBe('a.ts');
  });

  it.each([
    ['../*', /without a leading "\/" and without ".."/],
    ['/etc/*', /without a leading/],
    ['', /expected 1 to 1000 characters/],
    ['*a*a*a*a*a*a*a', /at most 6 "\*"/],
    ['x'.repeat(1_001), /got 1001/],
  ])('refuses the pattern %s', async (pattern, message) => {
    const { content, failure } = await glob(workspaceOf(paths), { pattern });

    expect(failure?.code).toBe('tool_arguments_invalid');
    expect(content).toMatch(message);
  });

  it('refuses a folder outside, and stops at an interrupt', async () => {
    const workspace = workspaceOf(paths);
    const interrupted = { interrupted: () => true };

    const outside = await glob(workspace, { pattern: '*', path: '..' });
    const stopped = await glob(workspace, { pattern: '*' }, interrupted);

    expect(outside.failure?.code).toBe('outside_workspace');
    expect(stopped.failure?.code).toBe('interrupted');
  });
});
