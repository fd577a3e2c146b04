// Proves that no path leads out of a workspace: not by dots, symlinks, or the system's own trees.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openForReading, resolveInWorkspace } from '#src/tools/workspace.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';

/** A workspace with a neighbour whose name begins alike, and symlinks of every kind. */
function arrange() {
  const base = temporaryFolder();
  const workspace = join(base, 'ws');
  mkdirSync(join(workspace, 'docs'), { recursive: true });
  mkdirSync(join(base, 'ws-secret'));
  writeFileSync(join(base, 'ws-secret', 'key'), 'secret');
  writeFileSync(join(workspace, 'docs', 'a.md'), 'text');
  symlinkSync('docs', join(workspace, 'inner'));
  symlinkSync('../ws-secret', join(workspace, 'outer'));
  symlinkSync('../ws-secret/key', join(workspace, 'key'));
  symlinkSync('/proc', join(workspace, 'proc'));
  symlinkSync('../ws-secret/new', join(workspace, 'dangling'));
  symlinkSync('loop', join(workspace, 'loop'));
  symlinkSync('ws', join(base, 'alias'));
  return { base, workspace };
}

test.each([
  ['.', '.', ''],
  ['', '.', ''],
  ['docs/a.md', 'docs/a.md', 'docs/a.md'],
  ['./docs/../docs//a.md', 'docs/a.md', 'docs/a.md'],
  ['inner/a.md', 'docs/a.md', 'docs/a.md'],
  ['new/deep/file.txt', 'new/deep/file.txt', 'new/deep/file.txt'],
  ['..hidden', '..hidden', '..hidden'],
])('finds %j inside the workspace', (path, shown, below) => {
  const { workspace } = arrange();

  expect(resolveInWorkspace(workspace, path)).toEqual({ absolute: join(workspace, below), shown });
});

test('takes an absolute path that leads inside, also through an alias of the workspace', () => {
  const { base, workspace } = arrange();
  const alias = join(base, 'alias');

  for (const root of [workspace, alias]) {
    for (const way of [workspace, alias]) {
      expect(resolveInWorkspace(root, join(way, 'docs', 'a.md')).shown).toBe('docs/a.md');
    }
  }
});

test.each([
  ['dots', '../ws-secret/key'],
  ['dots behind a folder', 'docs/../../ws-secret'],
  ['dots behind a name that does not exist', 'none/../../../x'],
  ['an absolute path', '/etc/passwd'],
  ['the root', '/'],
  ['a symlink to a folder', 'outer/key'],
  ['a new file behind a symlink to a folder', 'outer/new/file'],
  ['a symlink to a file', 'key'],
])('refuses %s out of the workspace', (_case, path) => {
  const { workspace } = arrange();
  const find = () => resolveInWorkspace(workspace, path);

  expect(find).toThrow('leads outside the workspace');
  expect(find).toThrow(expect.objectContaining({ code: 'outside_workspace' }));
});

test('refuses a neighbour whose name begins like the workspace', () => {
  const { base, workspace } = arrange();

  expect(() => resolveInWorkspace(workspace, join(base, 'ws-secret'))).toThrow('outside');
});

test.each([
  ['a NUL byte', 'docs/a.md\0.txt', 'NUL byte'],
  ['a symlink to nothing', 'dangling', 'symlink to nothing'],
  ['a file behind a symlink to nothing', 'dangling/x', 'symlink to nothing'],
  ['a circle of symlinks', 'loop', 'circles'],
  ['a path through a file', 'docs/a.md/x', 'as if it were a folder'],
  ['a name that is too long', 'x'.repeat(300), 'too long'],
  ['/proc', '/proc/self/environ', "system's own files"],
  ['/sys', '/sys/kernel', "system's own files"],
  ['/proc through a symlink', 'proc/self/environ', "system's own files"],
  ['/proc through dots', '../../../../../proc/version', "system's own files"],
])('refuses %s', (_case, path, message) => {
  const { workspace } = arrange();
  const find = () => resolveInWorkspace(workspace, path);

  expect(find).toThrow(message);
  expect(find).toThrow(expect.objectContaining({ code: 'file_refused' }));
});

test('refuses /proc in a workspace that is the whole machine, and back into it through /proc', () => {
  const { workspace } = arrange();

  expect(() => resolveInWorkspace('/', 'proc/version')).toThrow("system's own files");
  expect(() => resolveInWorkspace(workspace, `/proc/self/root${workspace}`)).toThrow(
    "system's own files",
  );
});

test('never shows the model where the workspace is', () => {
  const { base, workspace } = arrange();

  for (const path of ['dangling', 'docs/a.md/x', '../x', 'loop', 'none']) {
    expect(() => openForReading(workspace, path)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(base) }),
    );
  }
});

test('opens a regular file', () => {
  const { workspace } = arrange();

  const file = openForReading(workspace, 'inner/a.md');
  file.close();

  expect(file.stats.size).toBe(4);
});

test.each([
  ['a folder', 'docs', 'is a folder'],
  ['what does not exist', 'none', 'does not exist'],
  ['a symlink out', 'key', 'outside the workspace'],
  ['a named pipe, without waiting for a writer', 'pipe', 'not a regular file'],
])('does not open %s', (_case, path, message) => {
  const { workspace } = arrange();
  execFileSync('mkfifo', [join(workspace, 'pipe')]);

  expect(() => openForReading(workspace, path)).toThrow(message);
});
