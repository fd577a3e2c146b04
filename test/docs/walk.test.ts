// Keeps the picture of the README true: its commands, run again on a terminal, show what is in it but for numbers and order.
import { expect, test } from 'vitest';
// @ts-expect-error a script is plain JavaScript
import { recordWalk, walkOf } from '../../.ci/walk/main.mjs';
import { textOf } from '../architecture/tree.ts';

/** The text of the terminal that the picture was made from. */
function pictured(): string {
  const text = /<desc>\n([\s\S]*?)\n<\/desc>/.exec(textOf('docs/walk.svg'))?.[1] ?? '';
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Lines without what differs from run to run: numbers, units of time, widths of columns, and which task ends first. */
function lasting(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/~?[\d.,]+k?( (ms|s)\b)?/g, '#')
        .replace(/tasks\/(s|min)\b/g, 'tasks/#')
        // Where a label is cut depends on the width of the columns beside it.
        .replace(/….*?(?= ▸)|…\S*/g, '…')
        .replace(/\s+/g, ' '),
    )
    .sort();
}

test('the picture has the commands of the README, in order', () => {
  const commands = walkOf(textOf('README.md')).map((line: string) => `$ ${line}`);
  const shown = pictured().split('\n');

  expect(commands.length).toBeGreaterThan(3);
  expect(shown.filter((line) => line.startsWith('$ '))).toEqual(commands);
});

test.runIf(process.platform === 'linux')(
  'the picture shows what the commands print on a terminal',
  async () => {
    const terminal = await recordWalk();

    expect(lasting(terminal.text())).toEqual(lasting(pictured()));
  },
);
