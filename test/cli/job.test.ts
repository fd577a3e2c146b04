// Checks that a job watches its budget over all of its tasks together.
import { expect, test } from 'vitest';
import { Job } from '#src/cli/job.js';
import type { RunOptions } from '#src/cli/run-options.js';
import type { Supervisor } from '#src/index.js';
import { ManualClock } from '#src/testing.js';

const options: RunOptions = {
  input: { type: 'goal', goal: 'x' },
  roles: null,
  model: 'offline',
  concurrency: 1,
  toolsets: [],
  out: 'r.jsonl',
  existing: 'refuse',
  progress: null,
  show: null,
  idleTimeoutMs: 1,
  maxTurns: 1,
  budgetUsd: 2,
  prices: {},
  requireApproval: [],
  approve: { type: 'all' },
};

/** Follows a supervisor that only tells of costs, and says after each whether the job goes on. */
function follow(costs: readonly (number | null)[]): readonly boolean[] {
  const listeners: ((event: unknown) => void)[] = [];
  const on = (type: string, listener: (event: unknown) => void) => {
    if (type === 'usage_recorded') listeners.push(listener);
  };
  const job = new Job(options, new ManualClock(), () => {});
  // A job listens to its supervisor and nothing else here.
  job.follow({ on } as unknown as Supervisor, {
    type: 'ready',
    total: 1,
    isOneAnswer: false,
    items: () => [],
  });
  return costs.map((costUsd) => {
    const usage = { inputTokens: 1, outputTokens: 1, costUsd };
    for (const tell of listeners) tell({ type: 'usage_recorded', usage, isEstimated: false });
    return !job.signal.aborted;
  });
}

test.each([
  [
    [1, 0.99, 0.01, 1],
    [true, true, false, false],
  ],
  [[5], [false]],
  [
    [null, 5],
    [true, true],
  ],
])('costs of %j with a budget of 2', (costs, goesOn) => {
  expect(follow(costs)).toEqual(goesOn);
});
