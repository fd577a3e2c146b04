// Proves the tool `edit` on real folders and threads: what it writes, what it leaves alone, and that no edit is lost.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { editTool } from '#src/tools/builtin/edit.js';
import { callTool } from '#src/tools/call.js';
import { temporaryFolder, toolContext } from '../../fixtures/tool-context.ts';

function workspaceOf(files: Readonly<Record<string, string | Buffer>>): string {
  const workspace = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  return workspace;
}

const edit = (workspace: string, input: object, context = {}) =>
  callTool(editTool, input, toolContext({ workspace, ...context }), { maxResultChars: 10_000 });

describe('edit', () => {
  it('replaces, says where, and records the file', async () => {
    const workspace = workspaceOf({ 'src/a.ts': 'let a = 1;\nlet b = 2;\n' });
    writeFileSync(join(workspace, 'src/a.ts'), 'let a = 1;\nlet b = 2;\n', { mode: 0o644 });
    const recorded: string[] = [];
    const edits = [
      { oldText: 'a = 1', newText: 'a = 10' },
      { oldText: 'b = 2', newText: 'b = 20', replaceAll: null },
    ];

    const result = await edit(
      workspace,
      { path: './src/a.ts', edits },
      { recordFile: (path: string) => recorded.push(path) },
    );

    expect(result).toEqual({
      content: 'edited src/a.ts: 2 replacements, at line 1, 2',
      isError: false,
    });
    expect(readFileSync(join(workspace, 'src/a.ts'), 'utf8')).toBe('let a = 10;\nlet b = 20;\n');
    expect(statSync(join(workspace, 'src/a.ts')).mode & 0o777).toBe(0o644);
    expect(recorded).toEqual(['src/a.ts']);
  });

  it.each([
    [
      'a text that is not there',
      { path: 'a.txt', edits: [{ oldText: 'c', newText: '' }] },
      /edits\[0\]: .* "a.txt" is unchanged/,
    ],
    [
      'one edit of two',
      {
        path: 'a.txt',
        edits: [
          { oldText: 'a', newText: 'b' },
          { oldText: 'a', newText: '' },
        ],
      },
      /edits\[1\]/,
    ],
    [
      'a file that is not there',
      { path: 'new/b.txt', edits: [{ oldText: 'a', newText: 'b' }] },
      /does not exist/,
    ],
    ['a folder', { path: 'folder', edits: [{ oldText: 'a', newText: 'b' }] }, /is a folder/],
    [
      'a binary file',
      { path: 'image', edits: [{ oldText: 'a', newText: 'b' }] },
      /no text in UTF-8/,
    ],
    [
      'bytes that are no UTF-8',
      { path: 'latin1', edits: [{ oldText: 'a', newText: 'b' }] },
      /no text in UTF-8/,
    ],
    [
      'a file outside',
      { path: '../x', edits: [{ oldText: 'a', newText: 'b' }] },
      /leads outside the workspace/,
    ],
    ['no edits', { path: 'a.txt', edits: [] }, /edits: expected a list of 1 to 100/],
    [
      'a field of another name',
      { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b', all: true }] },
      /edits: \[0\.all\]: unknown; known are/,
    ],
    [
      'a text too long',
      { path: 'a.txt', edits: [{ oldText: 'a', newText: 'x'.repeat(4_194_305) }] },
      /4194305 characters, more than/,
    ],
  ])('refuses %s and leaves everything as it was', async (_what, input, message) => {
    const files = {
      'a.txt': 'a',
      'folder/x': '',
      image: Buffer.from([0, 97]),
      latin1: Buffer.from([0xe4, 97]),
    };
    const workspace = workspaceOf(files);

    const { content, isError } = await edit(workspace, input);

    expect(isError).toBe(true);
    expect(content).toMatch(message);
    expect(readdirSync(workspace).sort()).toEqual(['a.txt', 'folder', 'image', 'latin1']);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(join(workspace, 'latin1'))).toEqual(files.latin1);
  });

  it('takes over what an ended thread has left, and waits for a writer that lives', async () => {
    const workspace = workspaceOf({ 'a.txt': 'a', '.troupe-write-a.txt': 'half' });

    await edit(workspace, { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b' }] });

    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('b');
    expect(readdirSync(workspace)).toEqual(['a.txt']);

    writeFileSync(join(workspace, '.troupe-write-a.txt'), '');
    const stopped = await edit(
      workspace,
      { path: 'a.txt', edits: [{ oldText: 'b', newText: 'c' }] },
      { interrupted: () => true },
    );
    expect(stopped.failure?.code).toBe('interrupted');
    expect(readdirSync(workspace).sort()).toEqual(['.troupe-write-a.txt', 'a.txt']);
  });

  it('loses no edit of threads that edit one file at once', async () => {
    const rounds = 40;
    const letters = ['a', 'b', 'c'];
    const workspace = workspaceOf({
      'shared.txt': letters.map((letter) => `${letter}:\n`).join(''),
    });
    const module = import.meta.resolve('#src/tools/builtin/edit.js');

    await Promise.all(
      letters.map((letter) => {
        const workerData = { module, workspace, letter, rounds };
        const worker = new Worker(editor, { eval: true, workerData });
        return new Promise<void>((resolve, reject) => {
          worker.once('error', reject);
          worker.once('exit', () => resolve());
        });
      }),
    );

    const lines = letters.map((letter) => `${letter}:${'x'.repeat(rounds)}\n`);
    expect(readFileSync(join(workspace, 'shared.txt'), 'utf8')).toBe(lines.join(''));
    expect(readdirSync(workspace)).toEqual(['shared.txt']);
  });
});

/** Adds to its own line of the file again and again. */
const editor = `
  const { workerData } = require('node:worker_threads');
  const { module, workspace, letter, rounds } = workerData;
  import(module).then(({ editTool }) => {
    const tool = { workspace, recordFile() {}, interrupted: () => false };
    for (let round = 0; round < rounds; round += 1) {
      const edits = [{ oldText: letter + ':', newText: letter + ':x' }];
      editTool.run({ path: 'shared.txt', edits }, tool);
    }
  });
`;
