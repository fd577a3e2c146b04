// Checks the words after a job, and the exit code that follows from it.
import { describe, expect, test } from 'vitest';
import { plainPaint } from '#src/cli/paint.js';
import { exitCodeOf, type JobEnd, summaryLines } from '#src/cli/summary.js';
import { emptyTally } from '#src/observe/tally.js';

const none = { completed: 0, failed: 0, interrupted: 0, timeout: 0 };

function job(ended: Partial<JobEnd['tally']['ended']>, more: Partial<JobEnd> = {}): JobEnd {
  return {
    tally: { ...emptyTally, ended: { ...none, ...ended }, inputTokens: 1_234, outputTokens: 5 },
    elapsedMs: 2_000,
    model: 'anthropic:claude-x',
    out: 'r.jsonl',
    written: 4,
    total: 10,
    notStarted: 0,
    stop: null,
    goesOn: false,
    ...more,
  };
}

describe('the exit code', () => {
  test.each([
    ['all completed', job({ completed: 4 }), 0],
    ['one failed', job({ completed: 3, failed: 1 }), 1],
    ['one timed out', job({ completed: 3, timeout: 1 }), 1],
    ['nothing ran', job({}), 1],
    ['the budget was spent', job({ completed: 4 }, { stop: { type: 'budget', budgetUsd: 2 } }), 1],
    ['the file failed', job({ completed: 4 }, { stop: { type: 'failure', message: 'x' } }), 1],
    ['a signal came', job({ completed: 4 }, { stop: { type: 'signal' } }), 130],
  ])('when %s', (_when, end, code) => {
    expect(exitCodeOf(end)).toBe(code);
  });
});

test('sums a job up', () => {
  expect(summaryLines(job({ completed: 3, failed: 1 }), plainPaint)).toEqual([
    '4 tasks · 3 completed · 1 failed · 2.00 s · 2.0 tasks/s',
    '1,234 tokens in, 5 out · $0.00 · model anthropic:claude-x',
    '4 results in r.jsonl',
  ]);
});

test.each([
  [{ type: 'signal' }, 'interrupted: 2 finished and kept, 1 partial, 7 not started'],
  [
    { type: 'budget', budgetUsd: 2 },
    'stopped: the budget of $2.00 is spent: 2 finished and kept, 1 partial, 7 not started',
  ],
  [{ type: 'failure', message: 'no space' }, 'stopped: no space'],
] as const)('says what %j left', (stop, line) => {
  const end = job({ completed: 2, interrupted: 2 }, { stop, notStarted: 1 });

  expect(summaryLines(end, plainPaint)[0]).toBe(line);
});

test('says that a cost is unknown, and that tokens are estimates', () => {
  const end = job({ completed: 1 });
  const tally = { ...end.tally, costUsd: null, isEstimated: true };

  expect(summaryLines({ ...end, tally }, plainPaint)[1]).toMatch(
    /out \(estimated\) · cost unknown/,
  );
});
