// Checks that the time of a tool call stands still while its run waits for a thread.
import { expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { PausableTimer } from '#src/tasks/pausable-timer.js';
import { RunTimers } from '#src/tasks/run-timers.js';

/** The timers of a run with one call, which may take 100 ms. */
function timed() {
  const clock = new ManualClock();
  const timers = new RunTimers();
  let isOver = false;
  const timer = new PausableTimer(clock, 100, () => {
    isOver = true;
  });
  timers.setCall('c1', timer, 'everything');
  return { clock, timers, isOver: () => isOver };
}

it('the time of a call stands still while its run is ready, and goes on with its thread (W8, V8)', async () => {
  const { clock, timers, isOver } = timed();
  await clock.advance(60);

  timers.pauseCalls();
  // Asked twice: it is one wait.
  timers.pauseCalls();
  await clock.advance(1_000);
  expect(isOver()).toBe(false);
  timers.resumeCalls();
  timers.resumeCalls();

  await clock.advance(39);
  expect(isOver()).toBe(false);
  await clock.advance(1);
  expect(isOver()).toBe(true);
});

it('a call that is over while its run is ready leaves no timer (W8)', async () => {
  const { clock, timers, isOver } = timed();

  timers.pauseCalls();
  timers.stopCall('c1');
  timers.resumeCalls();
  await clock.advance(1_000);

  expect(isOver()).toBe(false);
});
