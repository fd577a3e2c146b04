// Proves the tool `apply_patch` on real folders: a patch is made whole or not at all.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPatchTool } from '#src/tools/builtin/apply-patch.js';
import { callTool } from '#src/tools/call.js';
import { temporaryFolder, toolContext } from '../../fixtures/tool-context.ts';

const patchOf = (...lines: readonly string[]) =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

function workspaceOf(files: Readonly<Record<string, string>>): string {
  const workspace = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  return workspace;
}

function contentsOf(workspace: string): Readonly<Record<string, string>> {
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(workspace.length + 1), readFileSync(file, 'utf8')]),
  );
}

const apply = (workspace: string, patch: string, context = {}) =>
  callTool(applyPatchTool, { patch }, toolContext({ workspace, ...context }), {
    maxResultChars: 10_000,
  });

describe('apply_patch', () => {
  const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'three\n', 'sub/c.txt': 'four\n' };
  const update = ['*** Update File: a.txt', ' one', '-two', '+2'];

  it('makes all changes, and records every file', async () => {
    const workspace = workspaceOf(files);
    const recorded: string[] = [];
    const patch = patchOf(
      ...update,
      '*** Add File: new/d.txt',
      '+five',
      '*** Update File: ./b.txt',
      '*** Move to: moved/b.txt',
      '-three',
      '+3',
      '*** Delete File: sub/c.txt',
    );

    const result = await apply(workspace, patch, {
      recordFile: (path: string) => recorded.push(path),
    });

    expect(result).toEqual({
      content: 'updated a.txt\nadded new/d.txt\nmoved b.txt to moved/b.txt\ndeleted sub/c.txt',
      isError: false,
    });
    expect(contentsOf(workspace)).toEqual({
      'a.txt': 'one\n2\n',
      'moved/b.txt': '3\n',
      'new/d.txt': 'five\n',
    });
    expect(recorded.sort()).toEqual(['a.txt', 'b.txt', 'moved/b.txt', 'new/d.txt', 'sub/c.txt']);
  });

  it.each([
    [
      'a hunk that is not there',
      ['*** Update File: b.txt', '-4'],
      /"b\.txt", hunk 1: its lines are not in the file/,
    ],
    [
      'a file that is there to add',
      ['*** Add File: b.txt', '+x'],
      /exists already: use "\*\*\* Update File: "/,
    ],
    [
      'a file that is there to move to',
      ['*** Update File: b.txt', '*** Move to: sub/c.txt'],
      /exists already/,
    ],
    ['a file that is not there', ['*** Update File: x/y.txt', '-a'], /does not exist/],
    ['a file that is not there to delete', ['*** Delete File: x'], /does not exist/],
    ['a folder to delete', ['*** Delete File: sub'], /is a folder/],
    ['a file outside', ['*** Add File: ../x', '+x'], /leads outside the workspace/],
    ['a file twice', ['*** Delete File: ./a.txt'], /in the patch twice/],
    ['a patch that cannot be read', ['+x'], null],
  ])('refuses %s, and changes nothing', async (_what, lines, message) => {
    const workspace = workspaceOf(files);
    const patch = message === null ? 'no patch' : patchOf(...update, ...lines);

    const { content, isError } = await apply(workspace, patch);

    expect(isError).toBe(true);
    expect(content).toMatch(message ?? /line 1 of the patch/);
    expect(contentsOf(workspace)).toEqual(files);
    expect(readdirSync(workspace).sort()).toEqual(['a.txt', 'b.txt', 'sub']);
  });

  it('keeps the permissions of a file that it moves', async () => {
    const workspace = workspaceOf(files);
    chmodSync(join(workspace, 'b.txt'), 0o744);

    await apply(workspace, patchOf('*** Update File: b.txt', '*** Move to: run.sh'));

    expect(statSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o744);
  });

  it.each([
    ['delete', ['*** Delete File: link.txt']],
    ['move', ['*** Update File: link.txt', '*** Move to: c.txt']],
  ])('does not %s what a symlink leads to', async (_what, lines) => {
    const workspace = workspaceOf(files);
    symlinkSync('a.txt', join(workspace, 'link.txt'));

    const { content, isError } = await apply(workspace, patchOf(...lines));

    expect(isError).toBe(true);
    expect(content).toMatch(/"link\.txt" is a symlink/);
    expect(contentsOf(workspace)).toEqual(files);
  });

  it('reports what was done when another writer comes between', async () => {
    const workspace = workspaceOf(files);
    const patch = patchOf(...update, '*** Delete File: b.txt');

    const { content, isError } = await apply(workspace, patch, {
      recordFile: () => {
        rmSync(join(workspace, 'b.txt'));
        mkdirSync(join(workspace, 'b.txt'));
      },
    });

    expect(isError).toBe(true);
    expect(content).toMatch(/"b\.txt" is a folder; done before that: updated a\.txt/);
  });

  it('stops at an interrupt before it changes anything', async () => {
    const workspace = workspaceOf(files);

    const { failure } = await apply(workspace, patchOf(...update), { interrupted: () => true });

    expect(failure?.code).toBe('interrupted');
    expect(contentsOf(workspace)).toEqual(files);
  });
});
