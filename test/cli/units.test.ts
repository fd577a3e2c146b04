// Checks amounts as people read and write them.
import { expect, test } from 'vitest';
import {
  formatCount,
  formatMs,
  formatRate,
  formatUsd,
  parseDuration,
  plural,
} from '#src/cli/units.js';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['1.5h', 5_400_000],
  [' 2s ', 2_000],
  ['10', null],
  ['0s', null],
  ['-1s', null],
  ['1d', null],
  ['s', null],
  ['', null],
  ['1s1', null],
  ['1,5s', null],
  [`${'9'.repeat(400)}h`, null],
])('the duration %j is %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [999.4, '999 ms'],
  [999.6, '1.00 s'],
  [1_234, '1.23 s'],
  [9_996, '10.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1m 00s'],
  [61_400, '1m 01s'],
  [3_599_600, '1h 00m'],
  [3_840_000, '1h 04m'],
])('%d ms shows as %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1_240, '1.2k'],
  [9_949, '9.9k'],
  [9_950, '10k'],
  [999_499, '999k'],
  [999_500, '1.0M'],
])('the count %d shows as %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [0, '$0.00'],
  [0.0042, '$0.0042'],
  [12.3, '$12.30'],
])('%d dollars show as %s', (amount, text) => {
  expect(formatUsd(amount)).toBe(text);
});

test.each([
  [1, '1 task'],
  [0, '0 tasks'],
  [12_345, '12,345 tasks'],
])('%d of a noun are %s', (count, text) => {
  expect(plural(count, 'task')).toBe(text);
});

test.each([
  [0, '0.0 tasks/min'],
  [0.05, '3.0 tasks/min'],
  [0.5, '30 tasks/min'],
  [1, '1.0 tasks/s'],
  [9.94, '9.9 tasks/s'],
  [9.96, '10 tasks/s'],
  [1_234.4, '1,234 tasks/s'],
])('%d a second are %s', (perSecond, text) => {
  expect(formatRate(perSecond, 'task')).toBe(text);
});
