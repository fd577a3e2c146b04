// Owns a pool of keys as the gateway gets it, and by which strategy its keys are given out.

export const leaseStrategies = ['fill_first', 'round_robin', 'least_used'] as const;

/**
 * Which key an agent is given that has none: the first that works, each in turn, or the one with the fewest agents.
 * Whatever the strategy, an agent keeps its key while that key works.
 */
export type LeaseStrategy = (typeof leaseStrategies)[number];

/** A pool as the gateway gets it. */
export type KeyPool = {
  readonly endpoint: string;
  readonly strategy: LeaseStrategy;
  readonly keys: readonly { readonly key: string; readonly label: string }[];
};
