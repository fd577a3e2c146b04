// Keeps figures and closed lists of the pages equal to those of the code.
import { expect, it } from 'vitest';
import { deadLetterReasons, defaultDeadLetterLimits } from '#src/actor/dead-letters.js';
import { exitReasons } from '#src/actor/exit.js';
import { defaultMailboxLimits } from '#src/actor/mailbox.js';
import { receiptStages } from '#src/actor/ref.js';
import { defaultLimits } from '#src/supervision/admission.js';
import { defaultChildSpec } from '#src/supervision/child-spec.js';
import { filesBelow, textOf } from '../architecture/tree.ts';

const semantics = textOf('docs/semantics.md');

/** The text of a rule, on one line. */
function rule(id: string): string {
  const [, text = ''] =
    semantics.match(new RegExp(`^- \\*\\*${id}\\*\\* ([\\s\\S]*?)\\n(?=- |\\n)`, 'm')) ?? [];
  return text.replace(/\s+/g, ' ');
}

const namesIn = (text: string): readonly string[] => text.match(/(?<=`)[a-z_]+(?=`)/g) ?? [];

it('docs/semantics.md lists the stages of receipts and the reasons of dead letters', () => {
  expect(namesIn(rule('S4').split('`stage` is')[1] ?? '')).toEqual(receiptStages);
  expect(namesIn(rule('L2'))).toEqual(deadLetterReasons);
});

it('docs/semantics.md lists no exit reason that is not there', () => {
  const known: readonly string[] = exitReasons;

  expect(namesIn(rule('V4')).length).toBeGreaterThan(5);
  expect(namesIn(rule('V4')).filter((reason) => !known.includes(reason))).toEqual([]);
});

it('docs/semantics.md has the bounds that are the defaults', () => {
  const { maxMessages, maxBytes } = defaultMailboxLimits;
  const { intensity, backoff } = defaultChildSpec;

  expect(rule('M5')).toContain(`${inThousands(maxMessages)} messages and ${inMib(maxBytes)}`);
  expect(rule('L3')).toContain(
    `last ${inThousands(defaultDeadLetterLimits.maxEntries)} dead letters are kept, at most ${inMib(defaultDeadLetterLimits.maxBytes)}`,
  );
  expect(rule('V2')).toContain(
    `at most ${intensity.maxRestarts} within ${intensity.withinMs / 1_000} s`,
  );
  expect(rule('V2')).toContain(`of ${backoff.minMs / 1_000} s to ${backoff.maxMs / 1_000} s`);
  expect(rule('V7')).toContain(`\`maxLiveAgents\` (default ${defaultLimits.maxLiveAgents})`);
});

it('docs/performance.md has the bounds that the benchmarks judge by', () => {
  const rows = [...textOf('docs/performance.md').matchAll(/^\| (T\d+) .*\| ([≤≥]) ([\d.]+)/gm)];
  const judged = filesBelow('bench/scenarios', '.ts').flatMap((path) =>
    [...textOf(path).matchAll(/id: '(T\d+)', against: [^}]*?(max|min): ([\d.]+)/g)].map(
      ([, id, side, bound]) => `${id} ${side === 'max' ? '≤' : '≥'} ${bound}`,
    ),
  );

  expect(rows.length).toBeGreaterThan(8);
  const shown = rows.map(([, id, sign, bound]) => `${id} ${sign} ${bound}`);
  expect(shown.filter((row) => !judged.includes(row))).toEqual([]);
});

function inThousands(count: number): string {
  return count.toLocaleString('en-US');
}

function inMib(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}
