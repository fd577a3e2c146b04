// Checks what a fault of the scheduler's own code does: no task is left without an end (W3, O2).
import { expect, test } from 'vitest';
import { createSupervisor, type Model } from '#src/index.js';
import { ManualClock, scripted } from '#src/testing.js';

/** Its calendar fails once, so many readings after it was told to. */
class BrokenClock extends ManualClock {
  failsIn = Number.POSITIVE_INFINITY;

  override wallTime(): number {
    this.failsIn -= 1;
    if (this.failsIn === 0) throw new Error('no calendar');
    return super.wallTime();
  }
}

test('an effect that fails ends every task failed, internal, and refuses further ones (W3, O2)', async () => {
  const clock = new BrokenClock();
  const logged: unknown[] = [];
  const logger = { warn: () => {}, error: (...entry: unknown[]) => logged.push(entry) };
  await using supervisor = createSupervisor({
    model: 'offline',
    clock,
    logger,
    limits: { maxLiveAgents: 1 },
  });
  const before = supervisor.start({ goal: 'runs' });
  // The first reading is the decision's, the second that of its event.
  clock.failsIn = 2;
  const after = supervisor.start({ goal: 'waits' });

  const outcomes = await Promise.all([before.result(), after.result()]);

  expect(outcomes.map(({ status, error }) => [status, error?.code])).toEqual([
    ['failed', 'internal'],
    ['failed', 'internal'],
  ]);
  expect(outcomes[1]?.error?.message).toContain('no calendar');
  expect(JSON.stringify(logged)).toContain('the scheduler failed');
  expect(() => supervisor.start({ goal: 'late' })).toThrow('closed');
});

test('the caller of spawn of an agent that waits for a slot learns of the fault (W3)', async () => {
  const clock = new BrokenClock();
  const logger = { warn: () => {}, error: () => {} };
  await using supervisor = createSupervisor({
    model: 'offline',
    clock,
    logger,
    agents: [{ name: 'stays', description: 'Stays.', prompt: 'Stay.' }],
    limits: { maxLiveAgents: 1 },
  });
  const running = supervisor.start({ goal: 'runs' });
  const spawned = supervisor.spawn('stays', { name: 'waits' });
  spawned.catch(() => {});
  // Spawned after it, and there at once: so the first has come to the queue.
  await supervisor.spawn('stays', { name: 'lazy', lazy: true });
  clock.failsIn = 2;
  supervisor.start({ goal: 'fails' });

  await expect(spawned).rejects.toThrow('no calendar');
  expect((await running.result()).error?.code).toBe('internal');
});

test.each([
  ['cold', false],
  ['warm', true],
])(
  'a model that throws as it is opened, on a %s thread, fails its task alone (W3)',
  async (_, isWarm) => {
    const broken: Model = {
      id: 'broken',
      useClock: () => {
        throw new Error('no clock for me');
      },
      respond: () => Promise.reject(new Error('never asked')),
    };
    await using supervisor = createSupervisor({
      model: scripted({ default: [{ text: 'fine' }] }),
      agents: [{ name: 'bad', description: 'Fails.', prompt: 'Fail.', model: broken }],
    });
    if (isWarm) await supervisor.delegate({ goal: 'warms a thread' });

    // It was never given the clock: the second task may not go on without it.
    for (const goal of ['fails', 'fails again']) {
      const { status, error } = await supervisor.delegate({ goal, agent: 'bad' });

      expect([status, error?.code]).toEqual(['failed', 'model_failed']);
      expect(error?.message).toContain('no clock for me');
    }
    expect((await supervisor.delegate({ goal: 'goes on' })).status).toBe('completed');
  },
);
