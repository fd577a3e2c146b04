// Checks `troupe init` as a user has it: what it writes runs as it stands, and what is there already is left alone.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bin, folderWith, start, startNode, troupe } from '../support/command.ts';
import { inInstalledFolder } from '../support/installed-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const written = ['agents.mjs', 'agents.test.mjs', 'program.mjs', 'tools.mjs'];

describe.each([
  ['an empty folder', {}, ['npm', 'test']],
  [
    'a project of CommonJS',
    { 'package.json': '{ "type": "commonjs", "dependencies": { "zod": "*" } }\n' },
    [process.execPath, '--test', 'agents.test.mjs'],
  ],
])('in %s', (_what, files, [command = '', ...args]) => {
  test('the program runs without a key, and the test passes', async () => {
    await inInstalledFolder(files, async (folder) => {
      const made = await troupe(['init'], folder);
      expect(made).toMatchObject({ code: 0, stderr: '' });

      const program = await startNode(['program.mjs'], { cwd: folder }).ended;
      expect({ code: program.code, stderr: program.stderr }).toEqual({ code: 0, stderr: '' });
      expect(program.stdout.match(/^completed .* returned: \d$/gm)).toEqual([
        'completed count_letters {"word":"apple"} returned: 5',
        'completed count_letters {"word":"pineapple"} returned: 9',
        'completed count_letters {"word":"fig"} returned: 3',
      ]);

      const tested = await start(command, args, { cwd: folder }).ended;
      expect(tested.stdout).toMatch(/^. pass 2$/m);
      expect(tested.code).toBe(0);
    });
  });
});

test('a new folder gets a package.json with the packages that its files import', async () => {
  const folder = folderWith();

  const { stdout } = await troupe(['init', 'my agents'], folder);

  const made = join(folder, 'my agents');
  expect(readdirSync(made).sort()).toEqual([...written, 'package.json'].sort());
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(JSON.parse(readFileSync(join(made, 'package.json'), 'utf8'))).toMatchObject({
    private: true,
    scripts: { test: 'node --test' },
    dependencies: { troupe: `^${version}`, zod: expect.stringMatching(/^\^\d/) },
  });
  expect(stdout).toContain(
    'Run:\n  cd "my agents"\n  npm install\n  node program.mjs\n  npm test\n',
  );
});

test('a package.json that is there stays as it is, and what it lacks is said', async () => {
  const text = '{"name":"mine","dependencies":{"zod":"^4"}}';
  const folder = folderWith({ 'package.json': text });

  const { code, stdout } = await troupe(['init', '.'], folder);

  expect(code).toBe(0);
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(text);
  expect(stdout).toContain('  npm install troupe\n');
  expect(stdout).toContain('  node --test agents.test.mjs\n');
});

describe('refuses, and writes nothing', () => {
  test.each([
    [
      'files that are there',
      ['init'],
      { 'tools.mjs': 'mine', 'program.mjs': 'mine' },
      /^troupe: already there: tools\.mjs, program\.mjs; nothing was written/,
    ],
    [
      'files that are there in the named folder',
      ['init', 'a/b'],
      { 'a/b/agents.mjs': 'mine' },
      /^troupe: already there: a\/b\/agents\.mjs;/,
    ],
    ['a folder that is a file', ['init', 'file'], { file: '' }, /^troupe: file is no folder$/m],
    [
      'a package.json that is not JSON',
      ['init'],
      { 'package.json': '{' },
      /^troupe: package\.json cannot be read: .*JSON/,
    ],
    ['a package.json that is a list', ['init'], { 'package.json': '[]' }, /expected an object/],
    ['two folders', ['init', 'a', 'b'], {}, /^troupe: too many arguments/],
    ['an option it does not have', ['init', '--force'], {}, /^troupe: unknown option '--force'/],
    ['an empty name', ['init', ''], {}, /^troupe: the name of the folder is empty$/m],
  ])('%s', async (_what, args, files, expected) => {
    const folder = folderWith(files);
    const before = readdirSync(folder, { recursive: true });

    const { code, stdout, stderr } = await troupe(args, folder);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });
});

test('nothing asked for: says what it is, how to begin, and where to read on', async () => {
  const { code, stdout, stderr } = await startNode([bin], { cwd: folderWith() }).ended;

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^troupe runs LLM subagents/);
  expect(stdout).toContain('troupe init [folder]');
  const [, readme = ''] = /^Read on: (.*)$/m.exec(stdout) ?? [];
  expect(readFileSync(readme, 'utf8')).toMatch(/^# Troupe/);
  for (const line of stdout.split('\n').slice(0, -3)) expect(line.length).toBeLessThanOrEqual(100);
});
