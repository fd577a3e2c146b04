// Owns the layout of the counts that the gateway's thread shares with the supervisor.

/** Sums since the activation began, by `meterPlaces`. */
export type Meter = Float64Array;

/** Indexes of the sums in a meter. */
export const meterPlaces = {
  inputTokens: 0,
  outputTokens: 1,
  cacheReadTokens: 2,
  cacheWriteTokens: 3,
  /** Changes last: a reader that sees a call counted sees all of it. */
  calls: 4,
  costUsd: 5,
  /** Calls without a price. */
  unpriced: 6,
  /** Calls whose tokens are our guess. */
  estimated: 7,
} as const;

export const meterLength = 8;
