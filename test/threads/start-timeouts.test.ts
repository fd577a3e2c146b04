// Checks lives that never start: at a spawn, at a restart, at an activation. Somebody waits for each, and is told.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SystemLog } from '#src/actor.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { exitOf, fixture, patienceMs, rejection, testSystem, within } from '../support/systems.ts';

const timeoutMs = patienceMs;
const overdue = { code: 'spawn_failed', message: expect.stringMatching(/did not start within/) };

function hanging(way: string, file?: string): URL {
  const url = fixture('never-starts');
  url.searchParams.set('way', way);
  if (file !== undefined) url.searchParams.set('file', file);
  return url;
}

describe.each(['load', 'start'])('an actor that hangs in its %s', (way) => {
  it('rejects its spawn when the time for it is over, and gives its thread up (V4)', async () => {
    const { system } = testSystem({ startTimeoutMs: 500 });

    const error = await rejection(system.spawn(hanging(way)));

    expect(error).toMatchObject(overdue);
  });

  it('ends when its restart does, and its mail with it (V3, V4)', async () => {
    const { system, reasons } = testSystem({
      startTimeoutMs: 2_000,
      threads: { reuse: 'single-use' },
    });
    const url = hanging(way, join(temporaryFolder(), 'started'));
    const backoff = { minMs: 1, maxMs: 1, jitter: 0 };
    const intensity = { maxRestarts: 1, withinMs: 60_000 };
    const actor = await within(
      system.spawn(url, { restart: 'permanent', backoff, intensity }),
      'the first life',
    );
    const exit = exitOf(actor);
    actor.tell('crash');
    const kept = rejection(actor.ask('kept', { timeoutMs }));

    expect((await exit).reason).toBe('restart_intensity');
    expect((await kept).code).toBe('actor_terminated');
    expect(reasons()).toEqual({ in_doubt: 1, stopped: 1 });
  });
});

it('an activation that never starts makes a dead letter of its message (P2)', async () => {
  const logs: SystemLog[] = [];
  const { system } = testSystem({
    startTimeoutMs: 2_000,
    threads: { idleMs: 0 },
    onLog: (entry) => logs.push(entry),
  });
  const url = hanging('load', join(temporaryFolder(), 'started'));
  const actor = await within(
    system.spawn(url, { passivate: { afterIdleMs: 1 } }),
    'the first life',
  );
  const passive = (async () => {
    while (system.threads > 0) await new Promise((resolve) => setImmediate(resolve));
  })();
  await within(passive, 'its passivation');

  const error = await rejection(actor.ask('wake', { timeoutMs }));

  expect(error.code).toBe('activation_failed');
  expect(logs).toMatchObject([{ level: 'error', failure: overdue }]);
});
