// Checks the values of the restart delay (V2).
import { describe, expect, it } from 'vitest';
import { backoffDelay } from '#src/supervision/backoff.js';
import { defaultChildSpec } from '#src/supervision/child-spec.js';

const { backoff } = defaultChildSpec;

describe('backoffDelay', () => {
  it('doubles from 0.2 s to 30 s (V2)', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => backoffDelay(n, backoff, 0));

    expect(delays).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  it.each([
    { attempt: 1, random: 0, delayMs: 200 },
    { attempt: 1, random: 0.5, delayMs: 180 },
    { attempt: 1, random: 0.999999, delayMs: 160 },
    { attempt: 9, random: 0.5, delayMs: 27_000 },
    { attempt: 9, random: 0.999999, delayMs: 24_000 },
  ])('shortens restart $attempt to $delayMs ms by jitter at $random (V2)', (row) => {
    expect(backoffDelay(row.attempt, backoff, row.random)).toBe(row.delayMs);
  });

  it.each([0, -1])('treats attempt %i as the first (V2)', (attempt) => {
    expect(backoffDelay(attempt, backoff, 0)).toBe(200);
  });

  it('stays finite after a million restarts (V2)', () => {
    expect(backoffDelay(1_000_000, backoff, 0)).toBe(30_000);
  });
});
