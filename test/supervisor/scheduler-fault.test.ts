// Checks what a fault of the scheduler's own code does: no task is left without an end (W3, O2).
import { expect, test } from 'vitest';
import { createSupervisor } from '#src/index.js';
import { ManualClock } from '#src/testing.js';

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
