// Checks the count of a job against events of root tasks, their children and what never started.
import { expect, test } from 'vitest';
import type { TroupeEvent } from '#src/index.js';
import { count, emptyTally, endedOf } from '#src/observe/tally.js';

const usage = { cacheReadTokens: 0, cacheWriteTokens: 0, modelCalls: 1 };

/** An event with the fields that a tally reads. */
function event(type: string, fields: object = {}): TroupeEvent {
  return { seq: 1, at: 0, type, ...fields } as TroupeEvent;
}

function completed(status: string, phase = 'between_turns', fields: object = {}): TroupeEvent {
  return event('task_completed', { outcome: { status, partial: { phase } }, ...fields });
}

test('counts root tasks from queue to end', () => {
  const events = [
    event('task_queued'),
    event('task_queued'),
    event('task_queued'),
    event('task_started'),
    event('task_started'),
    completed('completed'),
    completed('interrupted', 'queued'),
  ];

  const tally = events.reduce(count, emptyTally);

  expect(tally).toMatchObject({ queued: 0, running: 1 });
  expect(tally.ended).toEqual({ completed: 1, failed: 0, interrupted: 1, timeout: 0 });
  expect(endedOf(tally)).toBe(2);
});

test('counts the tokens of children, and their tasks apart from root tasks', () => {
  const child = { parentId: 'a1' };
  const events = [
    event('task_queued', child),
    event('task_started', child),
    event('usage_recorded', {
      ...child,
      usage: { ...usage, inputTokens: 10, outputTokens: 2, costUsd: 0.5 },
      isEstimated: false,
    }),
    event('tool_started', child),
    completed('failed', 'between_turns', child),
  ];

  expect(events.reduce(count, emptyTally)).toEqual({
    ...emptyTally,
    delegated: 1,
    below: { completed: 0, failed: 1, interrupted: 0, timeout: 0 },
    toolCalls: 1,
    inputTokens: 10,
    outputTokens: 2,
    costUsd: 0.5,
  });
});

test('one unknown price makes the cost unknown, one estimate marks the tokens', () => {
  const priced = { ...usage, inputTokens: 1, outputTokens: 1, costUsd: 0.5 };
  const recorded = (costUsd: number | null, isEstimated: boolean) =>
    event('usage_recorded', { usage: { ...priced, costUsd }, isEstimated });
  const events = [recorded(0.5, false), recorded(null, true), recorded(1, false)];

  expect(events.reduce(count, emptyTally)).toMatchObject({ costUsd: null, isEstimated: true });
});
