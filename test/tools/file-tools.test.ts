// Proves the file tools on real folders: what they answer, where they stop, and what they refuse.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fileToolset } from '#src/tools/builtin/file.js';
import { callTool } from '#src/tools/call.js';
import type { ToolContext } from '#src/tools/tool.js';
import { temporaryFolder, toolContext } from '../fixtures/tool-context.ts';

function workspaceOf(files: Readonly<Record<string, string | Buffer>>): string {
  const workspace = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  return workspace;
}

async function call(
  name: string,
  workspace: string,
  input: unknown,
  context: Partial<ToolContext> = {},
) {
  const tool = fileToolset.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return callTool(tool, input, toolContext({ workspace, ...context }), {
    maxResultChars: 1_000_000,
  });
}

test('lists a folder sorted, folders with a slash', async () => {
  const workspace = workspaceOf({ 'b.md': '', 'a/x': '', 'B.md': '', '.troupe-write-0': '' });

  expect(await call('list', workspace, {})).toEqual({ content: 'B.md\na/\nb.md', isError: false });
  expect((await call('list', workspace, { path: 'a' })).content).toBe('x');
});

test('lists an empty folder and cuts a full one', async () => {
  const names = Array.from({ length: 1_001 }, (_, at) => [
    `many/${String(at).padStart(4, '0')}`,
    '',
  ]);
  const workspace = workspaceOf({ ...Object.fromEntries(names), 'file.txt': '' });
  mkdirSync(join(workspace, 'empty'));

  const { content } = await call('list', workspace, { path: 'many' });

  expect((await call('list', workspace, { path: 'empty' })).content).toBe('(empty folder)');
  expect(String(content).split('\n')).toHaveLength(1_001);
  expect(content).toMatch(/0999\n\[cut: 1000 of 1001 names shown\]$/);
});

const lines = 'one\ntwo\nthree\n';

test.each([
  ['whole', {}, lines],
  ['from a line on', { offset: 2 }, 'two\nthree\n'],
  ['up to a number of lines', { limit: 2 }, 'one\ntwo\n[cut after line 2: read on with offset 3]'],
  ['a range', { offset: 2, limit: 1 }, 'two\n[cut after line 2: read on with offset 3]'],
  ['up to its very end', { offset: 2, limit: 2 }, 'two\nthree\n'],
  ['behind its end', { offset: 9 }, '[nothing: the file has 3 lines, offset is 9]'],
])('reads a file %s', async (_case, range, content) => {
  const workspace = workspaceOf({ 'a.txt': lines });

  expect(await call('read', workspace, { path: 'a.txt', ...range })).toEqual({
    content,
    isError: false,
  });
});

test.each([
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]],
  ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 0]],
  ['image/gif', [...Buffer.from('GIF89a'), 0]],
  ['image/webp', [...Buffer.from('RIFF'), 0, 0, 0, 0, ...Buffer.from('WEBPVP8 ')]],
])('shows an image of the kind %s, whatever it is called', async (mediaType, bytes) => {
  const data = Buffer.from(bytes);
  const workspace = workspaceOf({ 'a.bin': data });

  const { content } = await call('read', workspace, { path: 'a.bin' });

  const source = { type: 'base64', media_type: mediaType, data: data.toString('base64') };
  expect(content).toEqual([{ type: 'image', source }]);
});

test('refuses an image that no model takes for its size', async () => {
  const png = Buffer.alloc(3_750_001);
  png.write('\x89PNG\r\n\x1a\n', 'latin1');

  const { content, isError } = await call('read', workspaceOf({ 'a.png': png }), { path: 'a.png' });

  expect([content, isError]).toEqual([
    expect.stringContaining('"a.png" is an image of 3750001 bytes; at most 3750000 can be shown'),
    true,
  ]);
});

test('reads a large file in parts that join to the whole', async () => {
  const whole = Array.from({ length: 40_000 }, (_, at) => `line ${at} äöü`).join('\n');
  const workspace = workspaceOf({ 'big.txt': whole });
  const parts: string[] = [];
  let offset: number | undefined = 1;

  while (offset !== undefined) {
    const text = String((await call('read', workspace, { path: 'big.txt', offset })).content);
    const notice = /\[cut after line (\d+) at 256 KB; the file has \d+ bytes; .*\]$/.exec(text);
    parts.push(notice === null ? text : text.slice(0, notice.index));
    offset = notice === null ? undefined : Number(notice[1]) + 1;
  }

  expect(parts.length).toBeGreaterThan(2);
  expect(parts.every((part) => Buffer.byteLength(part) <= 262_144)).toBe(true);
  expect(parts.join('') === whole).toBe(true);
});

test('cuts a line longer than the cap without half a character', async () => {
  const workspace = workspaceOf({ 'long.txt': `x${'ä'.repeat(300_000)}\nnext` });

  const { content } = await call('read', workspace, { path: 'long.txt' });

  expect(content).toMatch(/ä\n\[cut within line 1, .* read on with offset 2\]$/);
  expect(content).not.toContain('\ufffd');
  expect((await call('read', workspace, { path: 'long.txt', offset: 2 })).content).toBe('next');
});

test.each([
  ['a binary file', 'read', { path: 'image' }, 'file_refused', 'binary file of 3 bytes'],
  ['a folder', 'read', { path: '.' }, 'file_refused', 'is a folder'],
  ['a missing file', 'read', { path: 'none' }, 'file_refused', '"none" does not exist'],
  ['an escape', 'read', { path: '../x' }, 'outside_workspace', 'outside'],
  ['the environment', 'read', { path: '/proc/self/environ' }, 'file_refused', 'own files'],
  ['a symlink out', 'write', { path: 'out/x', content: '' }, 'outside_workspace', 'outside'],
  ['a folder as target', 'write', { path: 'dir', content: '' }, 'file_refused', 'is a folder'],
  ['a file as folder', 'write', { path: 'image/x', content: '' }, 'file_refused', 'folder'],
  ['a file as list', 'list', { path: 'image' }, 'file_refused', 'folder'],
  ['an escape', 'grep', { pattern: 'x', path: '..' }, 'outside_workspace', 'outside'],
  ['a missing path', 'grep', { pattern: 'x', path: 'none' }, 'file_refused', 'does not exist'],
  ['a bad pattern', 'grep', { pattern: '(' }, 'tool_arguments_invalid', 'Invalid regular expr'],
  ['an unknown argument', 'read', { file: 'a' }, 'tool_arguments_invalid', '- file: unknown'],
])('answers %s given to %s with an error result', async (_case, name, input, code, message) => {
  const workspace = workspaceOf({ image: Buffer.from([1, 0, 2]), 'dir/x': '' });
  symlinkSync(temporaryFolder(), join(workspace, 'out'));

  const result = await call(name, workspace, input);

  expect(result).toMatchObject({ isError: true, failure: { code } });
  expect(result.content).toContain(message);
});

test('greps text files in order and leaves out what is no document', async () => {
  const workspace = workspaceOf({
    'b.md': 'needle\r\nhay',
    'a/deep.md': 'hay\nmy needle is 1',
    'node_modules/x.js': 'needle',
    '.git/config': 'needle',
    bin: Buffer.from('needle\0'),
    'large.txt': `needle${' '.repeat(1_048_576)}`,
  });
  symlinkSync('b.md', join(workspace, 'link.md'));
  symlinkSync('.', join(workspace, 'self'));

  const { content } = await call('grep', workspace, { pattern: 'needle( is \\d)?' });

  expect(content).toBe('a/deep.md:2: my needle is 1\nb.md:1: needle\n[skipped, over 1 MB: 1]');
});

test('greps one file, cuts at the asked number, and says when nothing matches', async () => {
  const workspace = workspaceOf({ 'a.txt': 'x\nx\nx\n', 'b.txt': 'x' });
  const grep = async (input: object) => (await call('grep', workspace, input)).content;

  expect(await grep({ pattern: 'x', path: 'a.txt', maxResults: 3 })).toBe(
    'a.txt:1: x\na.txt:2: x\na.txt:3: x',
  );
  expect(await grep({ pattern: 'x', maxResults: 2 })).toMatch(/2: x\n\[cut: the first 2 /);
  expect(await grep({ pattern: 'y' })).toBe('no match in 2 text files');
});

test.each(['grep', 'read'])('stops %s in the middle when the run is interrupted', async (name) => {
  const workspace = workspaceOf({ 'a.txt': 'x\n'.repeat(200_000) });
  let polls = 0;
  const interrupted = () => ++polls > 2;

  const input = name === 'grep' ? { pattern: 'y' } : { path: 'a.txt', offset: 199_999 };
  const result = await call(name, workspace, input, { interrupted });

  expect(result).toMatchObject({ isError: true, failure: { code: 'interrupted' } });
});

test('writes a file with its folders, reports it as touched, and leaves nothing beside it', async () => {
  const workspace = temporaryFolder();
  const touched: string[] = [];

  const result = await call(
    'write',
    workspace,
    { path: 'a/b/../c/new.md', content: 'ä' },
    { recordFile: (path) => touched.push(path) },
  );

  expect(result).toEqual({ content: 'wrote 2 bytes to a/c/new.md', isError: false });
  expect(readFileSync(join(workspace, 'a/c/new.md'), 'utf8')).toBe('ä');
  expect(readdirSync(join(workspace, 'a/c'))).toEqual(['new.md']);
  expect(touched).toEqual(['a/c/new.md']);
});

test('replaces a file through a symlink inside the workspace and keeps its permissions', async () => {
  const workspace = workspaceOf({ 'run.sh': 'old' });
  chmodSync(join(workspace, 'run.sh'), 0o766);
  symlinkSync('run.sh', join(workspace, 'link'));

  await call('write', workspace, { path: 'link', content: 'new' });

  expect(readFileSync(join(workspace, 'run.sh'), 'utf8')).toBe('new');
  expect(statSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o766);
});

test('refuses content above the cap and leaves the old file as it was', async () => {
  const workspace = workspaceOf({ 'a.txt': 'old' });

  const result = await call('write', workspace, { path: 'a.txt', content: 'x'.repeat(4_194_305) });

  expect(result.failure?.code).toBe('file_refused');
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('old');
  expect(readdirSync(workspace)).toEqual(['a.txt']);
});

test('writes into a folder that it may not list', () => {
  const tool = new URL('../../dist/src/tools/builtin/replace-file.js', import.meta.url).href;
  const workspace = workspaceOf({ 'drop/old': '' });
  // Permissions do not bind root.
  const program = `import { chmodSync, chownSync } from 'node:fs';
const { replaceFile } = await import(${JSON.stringify(tool)});
const [workspace] = process.argv.slice(1);
chmodSync(workspace + '/drop', 0o300);
if (process.getuid() === 0) {
  for (const path of [workspace, workspace + '/drop']) chownSync(path, 65_534, 65_534);
  process.setuid(65_534);
}
console.log(replaceFile(workspace, 'drop/new', () => 'text').shown);
chmodSync(workspace + '/drop', 0o700);`;

  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, workspace],
    { timeout: 20_000, encoding: 'utf8' },
  );

  expect([stdout, stderr]).toEqual(['drop/new\n', '']);
  expect(readFileSync(join(workspace, 'drop/new'), 'utf8')).toBe('text');
});
