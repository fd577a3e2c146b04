// Keeps the README true: its programs run as they stand, and so does every command in it that a reader is told to run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { recordsIn, start } from './support/command.ts';
import { blocksOf, filesOf, runPage } from './support/page.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('is short: a hundred lines, and programs of six lines a piece', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
  expect(readme.length).toBeLessThan(5_000);
  const parts = blocksOf('README.md').filter(({ name }) => name === 'three.mjs');
  expect(parts.map(({ text }) => text.trimEnd().split('\n').length)).toEqual([6, 4, 3, 5]);
  expect(Object.keys(filesOf('README.md'))).toEqual(['spin.mjs', 'three.mjs']);
});

test('its programs and commands do what it shows, from an empty folder', async () => {
  const documents = { 'docs/a.md': '# A\n', 'docs/more/b.md': '# B\n' };

  await runPage('README.md', documents, (folder) => {
    // The job that went on found both completed.
    expect(recordsIn(folder).map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(readFileSync(join(folder, 'my-agents', 'program.mjs'), 'utf8')).toContain('countAll');
  });
});

test('npm start runs one agent per source file of a clone', async () => {
  expect(readme).toContain('`npm start` runs one agent per source file');
  // What `npm start` does first, install and build, is done: again, it could pull both away from the tests beside this.
  const env = { npm_config_ignore_scripts: 'true' };
  const { code, stdout } = await start('sh', ['-c', 'npm start'], { cwd: root, env }).ended;

  expect(code).toBe(0);
  expect(stdout).toMatch(/^(\d+) tasks · \1 completed · /m);
  const records = recordsIn(root);
  expect(records.map(({ file }) => file)).toContain('src/index.ts');
  expect(new Set(records.map(({ model }) => model))).toEqual(new Set(['offline']));
});
