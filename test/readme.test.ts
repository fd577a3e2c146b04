// Keeps the README true: its program runs as it stands, and so does every command in it that is cheap to run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bin, folderWith, recordsIn, start, startNode } from './support/command.ts';
import { inInstalledFolder } from './support/installed-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The fenced blocks of a language. */
function blocks(language: string): readonly string[] {
  return [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, tag, text = '']) =>
    tag === language ? [text] : [],
  );
}

const commands = blocks('sh')
  .flatMap((block) => block.split('\n'))
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => line !== '');

/** Commands that no test runs, and why. */
const notRunHere: Readonly<Record<string, string>> = {
  'npm test': 'is what runs this',
  'npm install troupe zod': 'needs the registry; the packaging smoke test installs the tarball',
  'npm run lint': 'is a step of .ci/run',
  'npm run storm': 'takes minutes by design',
  '.ci/run': 'runs this',
};

test('is short, has one program, and no reason for a command that is gone', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(160);
  expect(blocks('js')).toHaveLength(1);
  expect(readme).toContain('`program.mjs`');
  expect(Object.keys(notRunHere).filter((command) => !commands.includes(command))).toEqual([]);
});

test('the program does what it says', async () => {
  const [program = ''] = blocks('js');
  // What a new user has: the package installed, and a folder that npm made one of CommonJS.
  const files = { 'package.json': '{ "type": "commonjs" }\n', 'program.mjs': program };

  await inInstalledFolder(files, async (folder) => {
    const { code, stdout, stderr } = await startNode([join(folder, 'program.mjs')], { cwd: root })
      .ended;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const index of [0, 1, 2]) expect(stdout).toContain(`${index} completed\n`);
    expect(stdout).toContain('stock {"article":"bolt"} returned: 120 2\n');
    expect(stdout).toMatch(/^stock \{"article":"nut"\} returned: 80 after \d+ messages$/m);
    expect(stdout).toMatch(/package\.json \(\d+ lines\)/);
  });
});

describe('the command', () => {
  const runs = commands.filter((command) => !(command in notRunHere));

  test('npx troupe … runs, one after the other in one folder', async () => {
    const cwd = folderWith({ 'docs/a.md': '# A\n', 'docs/more/b.md': '# B\n' });
    const env = { NODE: process.execPath, BIN: bin };
    const codes: [string, number | null][] = [];
    const records: number[] = [];

    for (const command of runs.filter((run) => run.startsWith('npx troupe'))) {
      const line = command.replace(/^npx troupe/, '"$NODE" "$BIN"');
      const { code, stdout } = await start('sh', ['-c', line], { cwd, env }).ended;
      codes.push([command, code]);
      if (command.includes('--out -')) records.push(stdout.trimEnd().split('\n').length);
      else if (command.includes('--each')) records.push(recordsIn(cwd).length);
    }

    expect(codes.filter(([, code]) => code !== 0)).toEqual([]);
    // With roles the orchestrator has a record as well.
    expect(records).toEqual([2, 3]);
  });

  test.each(runs.filter((command) => command.startsWith('npm ')))('%s', async (command) => {
    // What `npm start` does first, install and build, is done: again, it could pull both away from the tests beside this.
    const env = { npm_config_ignore_scripts: 'true' };
    const { code, stdout } = await start('sh', ['-c', command], { cwd: root, env }).ended;

    expect(code).toBe(0);
    expect(stdout).toMatch(/^(\d+) tasks · \1 completed · /m);
    const records = recordsIn(root);
    expect(records.map(({ file }) => file)).toContain('src/index.ts');
    expect(new Set(records.map(({ model }) => model))).toEqual(new Set(['offline']));
  });

  test('is one of these two kinds', () => {
    expect(runs.filter((command) => !/^(npx troupe|npm) /.test(command))).toEqual([]);
  });
});
