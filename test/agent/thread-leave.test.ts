// Checks that a run whose thread the supervisor asks for always answers (W1).
import { expect, it } from 'vitest';
import type { Self } from '#src/actor/behavior.js';
import { newRun } from '#src/agent/run/run-state.js';
import { ThreadLeave } from '#src/agent/thread-leave.js';
import type { WorkerEnvironment } from '#src/agent/worker-environment.js';
import { ManualClock } from '#src/base/clock.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import { neverDetached, neverLeaves } from '../support/staying.ts';

const rules = { tools: [], toolSettings: {}, maxTurns: 5 };

/** A run that waits for its model, in a thread that is needed and has no place to take; `left` is found there, look by look. */
function waiting(left: readonly (readonly string[])[]) {
  const events: RunEvent[] = [];
  const looks = [...left];
  const leaving = {
    ...neverLeaves.leaving,
    isNeeded: () => true,
    leftBehind: () => looks.shift() ?? [],
  };
  const around = {
    leaving,
    hasRunCode: () => true,
    model: { ...neverDetached, detach: () => true },
    clock: new ManualClock(),
  };
  const request = { runId: 't1', messages: [] };
  const run = newRun(rules, [], request, { steers: [], isPaused: false });
  run.step = { type: 'asking' };
  const self = { publish: (event: RunEvent) => events.push(event) };
  // Only what leaving reaches for is there.
  const leave = new ThreadLeave(rules, run, around as unknown as WorkerEnvironment, {
    self: self as unknown as Self,
    gate: null,
  });
  return { leave, types: () => events.map(({ type }) => type) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0)).then(turn).then(turn);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each([
  ['while it looks at what its tools left', [['a timer']]],
  ['after it found no place to take', []],
])('leaves when it is asked %s (W1, W5)', async (_when, left) => {
  const { leave, types } = waiting(left);

  leave.offer();
  leave.request();
  await settled();

  expect(types()).toEqual(['run_parked']);
});

it('stays when no place is left that it could take, and says nothing (W1)', async () => {
  const { leave, types } = waiting([['a timer']]);

  leave.offer();
  await settled();

  expect(types()).toEqual([]);
});
