// Owns the few figures that benchmarks report; knows nothing of what was measured.

/** How the samples of one contestant become one number. */
export type Figure = 'median' | 'p99' | 'max';

/** The nearest-rank percentile: always one of the samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  const value = sorted[rank - 1];
  if (value === undefined) throw new Error('a figure needs at least one sample');
  return value;
}

/** The middle sample, or the mean of the two in the middle. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) {
    throw new Error('a figure needs at least one sample');
  }
  return (lower + upper) / 2;
}

export function figureOf(samples: readonly number[], figure: Figure): number {
  switch (figure) {
    case 'median':
      return median(samples);
    case 'p99':
      return percentile(samples, 0.99);
    case 'max':
      return percentile(samples, 1);
    default:
      return figure satisfies never;
  }
}
