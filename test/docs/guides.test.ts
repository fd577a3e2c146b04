// Keeps the guides true: the files of each are written into an empty folder with the package installed, its commands are run
// there in order, and what they print is what the page shows. `…` stands for what differs from run to run.
import { describe, expect, it } from 'vitest';
import { filesBelow, textOf } from '../architecture/tree.ts';
import { type Block, blocksOf, runPage, runsOf } from '../support/page.ts';

const guides = filesBelow('docs/guides', '.md');

const isCode = ({ language }: Block) => language === 'js' || language === 'ts';

it.each(guides)('%s does what it shows', (page) => runPage(page));

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
