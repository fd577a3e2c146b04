// Checks the idle clock on a clock that stands still: warnings, resets, pauses, beats, a host that was suspended.
import { describe, expect, it } from 'vitest';
import type { Clock } from '#src/base/clock.js';
import { IdleClock } from '#src/supervision/idle-clock.js';
import { ManualClock } from '#src/testing.js';

function arrange(limitMs = 1_000, clock: Clock = new ManualClock()) {
  const fired: string[] = [];
  let beats = 0;
  const idle = new IdleClock({
    clock,
    limitMs,
    heartbeats: () => beats,
    onWarning: (idleMs) => fired.push(`warning at ${idleMs}`),
    onIdle: () => fired.push(`idle at ${clock.now()}`),
  });
  return {
    idle,
    fired,
    beat: () => {
      beats += 1;
    },
  };
}

/** A clock whose host can be suspended: timers fire late, all at once. */
class SuspendedClock extends ManualClock {
  #lostMs = 0;

  override now(): number {
    return super.now() + this.#lostMs;
  }

  suspend(ms: number): void {
    this.#lostMs += ms;
  }
}

describe('the idle clock', () => {
  it.each([
    [1_000, 1_000],
    [1_000, 600],
    [1_000, 2_000],
  ])(
    'of %i ms lets one it waits for, of %i ms, end first, and is news of it (V8)',
    async (limitMs, belowMs) => {
      const clock = new ManualClock();
      const fired: string[] = [];
      const say = (who: string) => () => void fired.push(`${who} at ${clock.now()}`);
      const around = { clock, heartbeats: () => 0, onWarning: () => {} };
      let below: IdleClock | null = null;
      const above = new IdleClock({
        ...around,
        limitMs,
        waitsForDue: () => below?.isDue === true,
        onIdle: say('above'),
      });
      below = new IdleClock({
        ...around,
        limitMs: belowMs,
        onIdle: () => {
          above.touch();
          say('below')();
        },
      });

      await clock.advance(4_000);

      const first = Math.min(limitMs, belowMs);
      const isBelowFirst = belowMs <= limitMs;
      expect(fired[0]).toBe(`${isBelowFirst ? 'below' : 'above'} at ${first}`);
      if (isBelowFirst) expect(fired[1]).toBe(`above at ${belowMs + limitMs}`);
      expect(fired).toHaveLength(2);
      above.stop();
      below.stop();
    },
  );

  it('warns at 80 % and fires at the limit, once each (V9)', async () => {
    const clock = new ManualClock();
    const { fired } = arrange(1_000, clock);

    await clock.advance(799);
    expect(fired).toEqual([]);
    await clock.advance(1);
    expect(fired).toEqual(['warning at 800']);
    await clock.advance(199);
    expect(fired).toHaveLength(1);
    await clock.advance(5_000);
    expect(fired).toEqual(['warning at 800', 'idle at 1000']);
  });

  it('counts from the last activity (V8)', async () => {
    const clock = new ManualClock();
    const { idle, fired } = arrange(1_000, clock);

    await clock.advance(700);
    idle.touch();
    await clock.advance(799);
    expect(fired).toEqual([]);
    await clock.advance(201);

    expect(fired).toEqual(['warning at 800', 'idle at 1700']);
  });

  it('warns again after activity that followed a warning (V9)', async () => {
    const clock = new ManualClock();
    const { idle, fired } = arrange(1_000, clock);

    await clock.advance(900);
    idle.touch();
    await clock.advance(800);

    expect(fired).toEqual(['warning at 800', 'warning at 800']);
  });

  it('never fires while there is activity in every period (V8)', async () => {
    const clock = new ManualClock();
    const { idle, fired } = arrange(1_000, clock);

    for (let at = 0; at < 20; at += 1) {
      await clock.advance(500);
      idle.touch();
    }

    expect(fired).toEqual([]);
  });

  it('takes heartbeats that moved since the last look for activity (V8)', async () => {
    const clock = new ManualClock();
    const { fired, beat } = arrange(1_000, clock);

    await clock.advance(500);
    beat();
    // The beat is seen at the look at 800, and counts from there.
    await clock.advance(300);
    expect(fired).toEqual([]);
    await clock.advance(1_000);

    expect(fired).toEqual(['warning at 800', 'idle at 1800']);
  });

  it('stands still while paused and grants a fresh period afterwards (V8)', async () => {
    const clock = new ManualClock();
    const { idle, fired } = arrange(1_000, clock);

    await clock.advance(700);
    idle.pause();
    await clock.advance(60_000);
    idle.resume();
    await clock.advance(799);
    expect(fired).toEqual([]);
    await clock.advance(1);

    expect(fired).toEqual(['warning at 800']);
  });

  it('leaves the period alone when resumed without a pause', async () => {
    const clock = new ManualClock();
    const { idle, fired } = arrange(1_000, clock);

    await clock.advance(700);
    idle.resume();
    await clock.advance(100);

    expect(fired).toEqual(['warning at 800']);
  });

  it('grants one fresh period after the host was suspended for more than 2 s (V8)', async () => {
    const clock = new SuspendedClock();
    const { fired } = arrange(1_000, clock);

    await clock.advance(700);
    clock.suspend(3_600_000);
    await clock.advance(100);
    expect(fired).toEqual([]);
    await clock.advance(1_000);

    expect(fired).toHaveLength(2);
    expect(fired[0]).toBe('warning at 800');
  });

  it('grants nothing for a gap of 2 s (V8)', async () => {
    const clock = new SuspendedClock();
    const { fired } = arrange(10_000, clock);

    await clock.advance(7_000);
    clock.suspend(2_000);
    await clock.advance(1_000);

    expect(fired).toEqual(['idle at 10000']);
  });

  it('fires nothing and leaves no timer once stopped', async () => {
    const clock = new ManualClock();
    const { idle, fired } = arrange(1_000, clock);

    idle.stop();
    await clock.advance(10_000);

    expect(fired).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
