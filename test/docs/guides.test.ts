// Keeps the guides true: the files of each are written into an empty folder with the package installed, its commands are run
// there in order, and what they print is what the page shows. `…` stands for what differs from run to run.
import { describe, expect, it } from 'vitest';
import { filesBelow, textOf } from '../architecture/tree.ts';
import { bin, start } from '../support/command.ts';
import { inInstalledFolder } from '../support/installed-folder.ts';

const guides = filesBelow('docs/guides', '.md');

type Block = { readonly language: string; readonly name: string; readonly text: string };

/** The fenced blocks of a page; the name is what stands after the language. */
function blocksOf(page: string): readonly Block[] {
  return [...textOf(page).matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', name = '', text = '']) => ({ language, name, text }),
  );
}

const isCode = ({ language }: Block) => language === 'js' || language === 'ts';
const isFile = ({ language, name }: Block) =>
  name !== '' && name !== 'not-run' && language !== 'sh' && language !== 'text';

/** What a guide has its reader run: a block of commands, and the output below it if the page shows it. */
function runsOf(page: string) {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, name, text }, index) => {
    if (language !== 'sh' || name === 'not-run') return [];
    const next = blocks[index + 1];
    return [{ script: text, shown: next?.language === 'text' ? next.text : null }];
  });
}

/** A text as a pattern: `…` is anything within its line. */
function patternOf(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

// `npx troupe` and `node` are those of this test.
const commands = `node() { "$NODE" "$@"; }; npx() { shift; "$NODE" "$BIN" "$@"; }; set -e\n`;

it.each(guides)('%s does what it shows', async (page) => {
  const files = blocksOf(page)
    .filter(isFile)
    .map(({ name, text }) => [name, text]);
  // What `npm init -y` leaves: the programs of the guides end in .mjs, which runs beside it.
  const all = { 'package.json': '{ "type": "commonjs" }\n', ...Object.fromEntries(files) };

  await inInstalledFolder(all, async (cwd) => {
    const env = { NODE: process.execPath, BIN: bin };
    for (const { script, shown } of runsOf(page)) {
      const run = start('sh', ['-c', commands + script], { cwd, env });
      const { code, stdout, stderr } = await run.ended;
      expect({ script, code, stderr: code === 0 ? '' : stderr }).toEqual({
        ...{ script, code: 0, stderr: '' },
      });
      if (shown !== null) expect(stdout).toMatch(patternOf(shown));
    }
  });
});

describe.each(guides)('%s', (page) => {
  const text = textOf(page);
  const script = runsOf(page)
    .map((run) => run.script)
    .join('\n');

  it('runs a program, and shows what it prints', () => {
    expect(script).toMatch(/^node \S+\.mjs$/m);
    expect(runsOf(page).filter(({ shown }) => shown !== null)).not.toEqual([]);
  });

  it('has no code that nothing runs, and none that is long', () => {
    const code = blocksOf(page).filter((block) => isCode(block) && block.name !== 'not-run');
    const used = [script, ...code.map((block) => block.text)].join('\n');

    expect(code.filter(({ name }) => !name || !used.includes(name))).toEqual([]);
    expect(code.filter((block) => block.text.trimEnd().split('\n').length > 30)).toEqual([]);
  });

  it('is on the page of all documentation', () => {
    expect(textOf('docs/README.md')).toContain(`(${page.replace('docs/', '')})`);
  });

  it('is read in ten minutes', () => {
    expect(text.split(/\s+/).length).toBeLessThan(1_800);
  });
});
