// Checks the table at the end of a job: what it shows of many rows, and that it keeps to its width.
import { expect, test } from 'vitest';
import { plainPaint } from '#src/cli/paint.js';
import type { ResultRow } from '#src/cli/record.js';
import { noRows, rank, tableLines } from '#src/cli/result-table.js';
import { widthOf } from '#src/cli/text.js';

function row(label: string, durationMs: number, more: Partial<ResultRow> = {}): ResultRow {
  const figures = { turns: 2, toolCalls: 1, tokens: 1_234 };
  return { label, status: 'completed', ...figures, durationMs, remark: '', ...more };
}

function persistentOf(rows: readonly ResultRow[]) {
  return rows.reduce(rank, noRows);
}

test('shows failures first, then timeouts, interrupted ones and the slowest', () => {
  const { rows } = persistentOf([
    row('quick', 1),
    row('stopped', 2, { status: 'interrupted' }),
    row('slow', 9),
    row('broken', 3, { status: 'failed' }),
    row('late', 4, { status: 'timeout' }),
    row('worse', 5, { status: 'failed' }),
  ]);

  expect(rows.map(({ label }) => label)).toEqual([
    'worse',
    'broken',
    'late',
    'stopped',
    'slow',
    'quick',
  ]);
});

test('keeps twenty rows of any number, and says how many there are more', () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => row(`task ${index}`, index));
  const shown = persistentOf([...rows, row('broken', 0, { status: 'failed' })]);

  const lines = tableLines(shown, 80, plainPaint);

  expect(shown.rows).toHaveLength(20);
  expect(lines[1]).toContain('broken');
  expect(lines[2]).toContain('task 999');
  expect(lines.at(-1)).toBe('  and 981 more');
});

test('lays figures out in columns', () => {
  const shown = persistentOf([
    row('src/a.ts', 12),
    row('b.md', 1_500, { status: 'failed', remark: 'crashed: it broke' }),
  ]);

  expect(tableLines(shown, 80, plainPaint)).toEqual([
    '  task      status     turns  tools  tokens    time',
    '✗ b.md      failed         2      1    1.2k  1.50 s  crashed: it broke',
    '✓ src/a.ts  completed      2      1    1.2k   12 ms',
  ]);
});

test.each([20, 40, 60, 80, 200])('fits into %d columns', (width) => {
  const shown = persistentOf([
    row(`a/very/${'long/'.repeat(30)}path.ts`, 12),
    row('日本語'.repeat(20), 99, { status: 'failed', remark: 'because '.repeat(40) }),
  ]);

  const widths = tableLines(shown, width, plainPaint).map(widthOf);

  expect(Math.max(...widths)).toBeLessThanOrEqual(width);
});

test('is empty when nothing ran', () => {
  expect(tableLines(noRows, 80, plainPaint)).toEqual([]);
});
