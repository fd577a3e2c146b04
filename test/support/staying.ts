// Owns the part of a thread's environment by which runs leave it, for runs that never do. Starts no test.

/** No other run needs the thread. */
export const neverLeaves = {
  leaving: {
    isNeeded: () => false,
    takePlace: () => false,
    isAlwaysNeeded: () => false,
    leftBehind: () => [],
    hasUnsent: () => false,
    leave: () => {},
  },
  hasRunCode: () => false,
};

/** The same of its model: nothing is known of an earlier activation. */
export const neverDetached = { continueFrom: () => {}, knownOf: () => 0, detach: () => false };
