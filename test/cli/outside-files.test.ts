// Checks that a job over files its agents could not read costs nothing: it is refused before a model is called.
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOutside } from '#src/cli/outside-files.js';
import { startStubModelServer } from '#src/testing.js';
import { folderWith, recordsIn, startTroupe, troupe } from '../support/command.ts';

const tree = {
  'a.md': '# A\n',
  'b.md': '# B\n',
  'c.md': '# C\n',
  'd.md': '# D\n',
  'in/e.md': '# E\n',
  'in/tasks.jsonl':
    '{"goal":"Read e.md"}\n{"goal":"Read it","toolsets":["file"],"metadata":{"file":"../a.md"}}\n',
};

test.each([
  [
    'a glob that leads out of the folder',
    ['--each', '../*.md', '--goal', 'Read {file}', '--toolsets', 'file'],
    /^troupe: --each "\.\.\/\*\.md" matches files outside of \/.*: \.\.\/a\.md, \.\.\/b\.md, \.\.\/c\.md and 1 more; run troupe in a folder above them\n$/,
  ],
  [
    'one that does for some files only',
    ['--each', '../**/*.md', '--goal', 'Read {file}', '--toolsets', 'file'],
    /outside of .*\.\.\/a\.md/,
  ],
  [
    'an orchestrator over them',
    ['--each', '../a.md', '--goal', 'Compare', '--roles'],
    /outside of .*: \.\.\/a\.md; run/,
  ],
  [
    'a line of a file of tasks',
    ['tasks.jsonl'],
    /^troupe: tasks\.jsonl:2: metadata\.file is outside of .*: \.\.\/a\.md\ntroupe: tasks\.jsonl has 1 line that cannot be run: nothing was started\n$/,
  ],
])('%s is refused before its first request', async (_what, args, expected) => {
  const cwd = join(folderWith(tree), 'in');
  const server = await startStubModelServer();
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
    const model = ['--model', 'anthropic:claude-x'];

    const { code, stdout, stderr } = await startTroupe(['run', ...args, ...model], { cwd, env })
      .ended;

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(server.requests()).toEqual([]);
    expect(readdirSync(cwd).sort()).toEqual(['e.md', 'tasks.jsonl']);
  } finally {
    await server.close();
  }
});

test('a path that leads out and back in is read', async () => {
  const cwd = join(folderWith(tree), 'in');
  const args = ['run', '--each', '../in/*.md', '--goal', 'Read {file}', '--toolsets', 'file'];

  const { code } = await troupe(args, cwd);

  expect(code).toBe(0);
  expect(String(recordsIn(cwd)[0]?.['text'])).toContain('e.md (1 line)');
});

test('without tools the names alone are worked on, wherever the files are', async () => {
  const cwd = join(folderWith(tree), 'in');

  const { code } = await troupe(['run', '--each', '../*.md', '--goal', 'Guess from {file}'], cwd);

  expect(code).toBe(0);
  expect(recordsIn(cwd)).toHaveLength(4);
});

test('a link is judged by where it leads', () => {
  const folder = folderWith({ 'secret.md': '', 'work/own.md': '' });
  const work = join(folder, 'work');
  symlinkSync('../secret.md', join(work, 'out.md'));
  symlinkSync('own.md', join(work, 'in.md'));
  mkdirSync(join(work, '..named'));
  const files = ['own.md', 'in.md', 'out.md', 'missing.md', '..named/x.md', '..'];

  expect(filesOutside(files, { folder: work, toolsets: ['file'] })).toEqual(['out.md', '..']);
  expect(filesOutside(files, { folder: work, toolsets: ['file', 'terminal'] })).toEqual([]);
  expect(filesOutside(files, { folder: work, toolsets: [] })).toEqual([]);
});
