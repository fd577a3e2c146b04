// Owns the programs and commands of a page of the documentation, and runs them as its reader would. For tests of pages.
import { expect } from 'vitest';
import { textOf } from '../architecture/tree.ts';
import { bin, start } from './command.ts';
import { inInstalledFolder } from './installed-folder.ts';

export type Block = { readonly language: string; readonly name: string; readonly text: string };

/** The fenced blocks of a page; the name is what stands after the language. */
export function blocksOf(page: string): readonly Block[] {
  return [...textOf(page).matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', name = '', text = '']) => ({ language, name, text }),
  );
}

/** The files that the blocks of a page are, each by its name; blocks of one name are parts of one file, in order. */
export function filesOf(page: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { language, name, text } of blocksOf(page)) {
    if (name === '' || name === 'not-run' || language === 'sh' || language === 'text') continue;
    files[name] = (files[name] ?? '') + text;
  }
  return files;
}

/** What a page has its reader run: a block of commands, and the output below it if the page shows it. */
export function runsOf(page: string) {
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

/**
 * Writes the files of a page into an empty folder with the package installed, runs its commands there in order, and expects
 * that they print what the page shows.
 */
export async function runPage(
  page: string,
  more: Readonly<Record<string, string>> = {},
  check: (folder: string) => void = () => {},
): Promise<void> {
  // What `npm init -y` leaves: the programs of pages end in .mjs, which runs beside it.
  const files = { 'package.json': '{ "type": "commonjs" }\n', ...more, ...filesOf(page) };

  await inInstalledFolder(files, async (cwd) => {
    const env = { NODE: process.execPath, BIN: bin };
    for (const { script, shown } of runsOf(page)) {
      const { code, stdout, stderr } = await start('sh', ['-c', commands + script], { cwd, env })
        .ended;
      expect({ script, code, stderr: code === 0 ? '' : stderr }).toEqual({
        ...{ script, code: 0, stderr: '' },
      });
      if (shown !== null) expect(stdout).toMatch(patternOf(shown));
    }
    check(cwd);
  });
}
