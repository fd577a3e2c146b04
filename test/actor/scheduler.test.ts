// Checks in which order inline lives run, and that the event loop breathes.
import { expect, it } from 'vitest';
import { type Runnable, Scheduler } from '#src/actor/scheduler.js';

/** Runs `times` rounds, logging each. */
function counted(name: string, times: number, log: string[]): Runnable {
  let left = times;
  return {
    run: () => {
      left -= 1;
      log.push(name);
      return left > 0;
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('runs each once per round, in order', async () => {
  const scheduler = new Scheduler();
  const log: string[] = [];

  for (const [name, times] of [
    ['a', 3],
    ['b', 1],
    ['c', 2],
  ] as const) {
    scheduler.schedule(counted(name, times, log));
  }
  await turn();

  expect(log).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
});

it('runs what was scheduled while it was running', async () => {
  const scheduler = new Scheduler();
  const log: string[] = [];

  scheduler.schedule({
    run: () => {
      scheduler.schedule(counted('inner', 1, log));
      return false;
    },
  });
  await turn();

  expect(log).toEqual(['inner']);
});

it('lets the event loop breathe after 2,000 runs', async () => {
  const scheduler = new Scheduler();
  const log: string[] = [];

  scheduler.schedule(counted('busy', 5_000, log));
  await Promise.resolve();
  expect(log).toHaveLength(2_000);
  await turn();
  await turn();
  await turn();

  expect(log).toHaveLength(5_000);
});
