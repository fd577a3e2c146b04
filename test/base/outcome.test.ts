// Checks the closed words of outcomes: one status per exit reason, and how usage adds up.
import { describe, expect, it } from 'vitest';
import { addUsage, noUsage, outcomeExitReasons, statusOf, type Usage } from '#src/base/outcome.js';

describe('statusOf', () => {
  const statuses = {
    goal: 'completed',
    max_turns: 'failed',
    idle_timeout: 'timeout',
    total_timeout: 'timeout',
    budget: 'failed',
    interrupted: 'interrupted',
    killed: 'interrupted',
    crashed: 'failed',
    refused: 'failed',
    rejected: 'failed',
    error: 'failed',
  } as const;

  it.each(outcomeExitReasons)('follows from exit reason %s (X11)', (exitReason) => {
    expect(statusOf(exitReason)).toBe(statuses[exitReason]);
  });

  it('knows no exit reason beside those (X11)', () => {
    expect([...outcomeExitReasons].sort()).toEqual(Object.keys(statuses).sort());
    // A value from outside of the types.
    expect(() => statusOf('tired' as 'goal')).toThrow(/"tired"/);
  });
});

describe('addUsage', () => {
  const some: Usage = {
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    modelCalls: 5,
    costUsd: 0.5,
  };

  it('adds field by field', () => {
    expect(addUsage(some, some)).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 8,
      modelCalls: 10,
      costUsd: 1,
    });
    expect(addUsage(noUsage, some)).toEqual(some);
  });

  it('knows no cost as soon as one price is unknown', () => {
    const unknown = { ...some, costUsd: null };

    expect(addUsage(some, unknown).costUsd).toBeNull();
    expect(addUsage(unknown, some).costUsd).toBeNull();
  });
});
