// Keeps the pages true: their links lead somewhere, the functions they name are there, their code compiles, their commands exist.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesBelow, isThere, textOf, topLevel } from '../architecture/tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const atTop = topLevel().filter((name) => name.endsWith('.md'));
const pages = [...atTop, ...filesBelow('docs', '.md'), ...filesBelow('examples', '.md')];
const { scripts } = JSON.parse(textOf('package.json'));

/** What stands in the fenced blocks of a page. */
function blocksOf(page: string): readonly { readonly language: string; readonly text: string }[] {
  return [...textOf(page).matchAll(/^```(\w*)(?: \S+)?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );
}

/** The links of a page to files of the repository, each with the name in backquotes that follows it. */
function linksOf(page: string) {
  return [
    ...textOf(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)(?:,\s+`(#?\w+)`)?/g),
  ].map(([, to = '', name]) => ({ path: posix.join(posix.dirname(page), to), name }));
}

/** Blocks of the README and of the guides are run by tests of their own. */
const blocks = pages
  .filter((page) => page !== 'README.md' && !page.startsWith('docs/guides/'))
  .flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })));

describe.each(pages)('%s', (page) => {
  it('links to what is there', () => {
    expect(linksOf(page).filter(({ path }) => !isThere(path))).toEqual([]);
  });

  it('names functions that are in the file beside them', () => {
    const wrong = linksOf(page).filter(
      ({ path, name }) => name !== undefined && !new RegExp(`${name}[(<]`).test(textOf(path)),
    );

    expect(wrong).toEqual([]);
  });

  it('has blocks of known languages only', () => {
    const known = ['sh', 'ts', 'js', 'json', 'md', 'py', 'mermaid', 'text'];

    expect(blocksOf(page).filter(({ language }) => !known.includes(language))).toEqual([]);
  });
});

it('the code of the pages compiles', () => {
  // Where a program finds the package by its name, and the types of its dependencies.
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist', 'pages-'));
  try {
    const code = blocks.filter(({ language }) => language === 'ts' || language === 'js');
    expect(code.length).toBeGreaterThan(0);
    for (const [index, { language, text }] of code.entries()) {
      writeFileSync(join(folder, `block-${index}.${language}`), text);
    }
    const compilerOptions = {
      ...{ target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true },
      ...{ noEmit: true, allowJs: true, checkJs: true, types: ['node'] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));

    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], {
      encoding: 'utf8',
    });

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the commands of the pages exist', () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');

  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter((command) => !exists(command))).toEqual([]);
});

/** True for a script of the package, and for a file that is run. */
function exists(command: string): boolean {
  const [first = '', second = '', third = ''] = command.split(' ');
  if (first === 'npm') return (second === 'run' ? third : second) in scripts;
  return isThere(first === 'node' ? second : first);
}

it('docs/architecture.md has every folder of src', () => {
  const folders = filesBelow('src', '.ts').flatMap((path) => path.match(/^src\/[\w-]+\//) ?? []);
  const architecture = textOf('docs/architecture.md');

  const missing = [...new Set(folders)].filter(
    (folder) => !architecture.includes(`| \`${folder}\``),
  );
  expect(missing).toEqual([]);
});

it('examples/README.md has every example', () => {
  const examples = filesBelow('examples', '.js').map((path) => path.split('/')[1]);
  const page = textOf('examples/README.md');

  expect(examples.filter((name) => !page.includes(`| [${name}](`))).toEqual([]);
});

it('docs/decisions/README.md has every decision, by its number', () => {
  const numbered = filesBelow('docs/decisions', '.md').filter(
    (path) => !path.endsWith('README.md'),
  );
  const index = textOf('docs/decisions/README.md');

  expect(numbered.length).toBeGreaterThan(13);
  for (const path of numbered) {
    const [, number = '', title = ''] = textOf(path).match(/^# (\d+)\. (.*)$/m) ?? [];
    expect(index).toContain(`${number}. [${title}](${posix.basename(path)})`);
    expect(Number(posix.basename(path).slice(0, 2))).toBe(Number(number));
  }
});
