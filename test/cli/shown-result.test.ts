// Checks what `--show` prints of each result: which ones, and nothing that a terminal would obey.
import { expect, test } from 'vitest';
import { plainPaint } from '#src/cli/paint.js';
import type { ResultRecord } from '#src/cli/record.js';
import type { Results } from '#src/cli/results-file.js';
import { shownLines, shownOnceWritten } from '#src/cli/shown-result.js';

const error = { code: 'max_turns', message: 'two\nlines', retryable: false } as const;
const base = { goal: 'Read a.md', exitReason: 'error', text: '' };

/** Of an outcome only what is printed of it. */
function record(fields: Partial<ResultRecord>): ResultRecord {
  return { ...base, ...fields } as ResultRecord;
}

const completed = record({ status: 'completed', text: 'It is\n  fine.' });
const failed = record({ status: 'failed', error, text: 'half' });
const late = record({ status: 'timeout', exitReason: 'idle_timeout' });
const interrupted = record({ status: 'interrupted', exitReason: 'interrupted' });

test.each([
  ['answers', completed, ['✓ Read a.md', '', 'It is', '  fine.', '']],
  ['answers', failed, ['✗ Read a.md', '', 'half', '']],
  ['answers', late, []],
  ['answers', interrupted, []],
  ['failures', completed, []],
  ['failures', failed, ['✗ Read a.md', '  failed, max_turns: two lines']],
  ['failures', late, ['✗ Read a.md', '  timeout, idle_timeout']],
  ['failures', interrupted, []],
] as const)('%s of %o', (show, result, lines) => {
  expect(shownLines(show, result, plainPaint)).toEqual(lines);
});

test.each([
  ['the name of a file', { file: 'a\u001b[2Jb.md' }, '✓ a [2Jb.md'],
  ['a goal', { goal: 'one\ntwo\u0007' }, '✓ one two'],
])('%s moves no cursor', (_what, fields, title) => {
  const [first] = shownLines('answers', { ...completed, ...fields }, plainPaint);

  expect(first).toBe(title);
});

test('a long goal is named by its beginning', () => {
  const long = { ...completed, goal: 'more and '.repeat(100_000) };
  const [title = ''] = shownLines('answers', long, plainPaint);

  expect(title).toMatch(/^✓ more and .*…$/);
  expect(title.length).toBeLessThan(250);
});

test('what cannot be written is not shown', () => {
  const shown: ResultRecord[] = [];
  let written = 0;
  const full: Results = {
    get written() {
      return written;
    },
    append: () => {
      if (written === 1) throw new Error('no space');
      written += 1;
    },
    close: () => {},
  };
  const results = shownOnceWritten(full, (each) => shown.push(each));

  results.append(completed);
  expect(() => results.append(late)).toThrow('no space');

  expect(shown).toEqual([completed]);
  expect(results.written).toBe(1);
});
