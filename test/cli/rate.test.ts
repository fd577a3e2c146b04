// Checks how fast a job is said to go: what the last moments say, without jumps.
import { expect, test } from 'vitest';
import { addSample, firstSamples, perSecondOf, type RateSample } from '#src/cli/rate.js';

/** The rates that frames show, one per moment. */
function ratesOf(moments: readonly RateSample[]): readonly number[] {
  let samples = firstSamples;
  return moments.map((now) => {
    samples = addSample(samples, now);
    return perSecondOf(samples, now);
  });
}

test('before the first end, and at the very start, nothing goes', () => {
  expect(
    ratesOf([
      { ended: 0, atMs: 0 },
      { ended: 0, atMs: 900 },
    ]),
  ).toEqual([0, 0]);
});

test('a job of one speed has one rate', () => {
  const moments = Array.from({ length: 2_000 }, (_, at) => ({ ended: at * 8, atMs: at * 80 }));

  const rates = ratesOf(moments).slice(1);

  for (const rate of rates) expect(rate).toBeCloseTo(100, 9);
});

test('a change of speed is seen within the next five seconds', () => {
  const slow = Array.from({ length: 100 }, (_, at) => ({ ended: at, atMs: at * 1_000 }));
  const fast = Array.from({ length: 60 }, (_, at) => ({ ended: 99 + at, atMs: 99_000 + at * 100 }));

  const rates = ratesOf([...slow, ...fast]);

  expect(rates[99]).toBeCloseTo(1, 9);
  expect(rates.at(-1)).toBeCloseTo(10, 9);
});

test('a burst after a silence moves it by its share of the last ends', () => {
  const even = Array.from({ length: 21 }, (_, at) => ({ ended: at, atMs: at * 10_000 }));
  const burst = { ended: 24, atMs: 200_080 };

  const [before = 0, after = 0] = ratesOf([...even, burst]).slice(-2);

  expect(before).toBeCloseTo(0.1, 9);
  expect(after).toBeLessThan(0.14);
});

test('it sinks while nothing ends', () => {
  const moments = [4, 8, 16].map((seconds) => ({ ended: 4, atMs: seconds * 1_000 }));

  expect(ratesOf(moments)).toEqual([1, 0.5, 0.25]);
});

test('what it looks back on does not grow with the job', () => {
  let samples = firstSamples;
  for (let at = 1; at < 10_000; at += 1) samples = addSample(samples, { ended: at, atMs: at * 80 });

  expect(samples.length).toBeLessThan(70);
});
