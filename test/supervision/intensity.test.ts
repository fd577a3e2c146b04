// Checks the boundary of the restart window (V2).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordRestart } from '#src/supervision/intensity.js';

const limit = { maxRestarts: 3, withinMs: 60_000 };

describe('recordRestart', () => {
  it.each([
    { title: 'the first restart', history: [], now: 0, decision: 'restart' },
    { title: 'exactly the limit', history: [10, 0], now: 20, decision: 'restart' },
    { title: 'one more than the limit', history: [20, 10, 0], now: 30, decision: 'give_up' },
    {
      title: 'one more, the last moment of the window',
      history: [20, 10, 0],
      now: 59_999,
      decision: 'give_up',
    },
    {
      title: 'one more, just outside of the window',
      history: [20, 10, 0],
      now: 60_000,
      decision: 'restart',
    },
  ])('answers $verdict to $title (V2)', ({ history, now, decision }) => {
    expect(recordRestart(history, now, limit).decision).toBe(decision);
  });

  it('keeps the times inside the window, newest first (V2)', () => {
    const { history } = recordRestart([50_000, 20_000, 0], 70_000, limit);

    expect(history).toEqual([70_000, 50_000, 20_000]);
  });

  it('never restarts with no restarts allowed (V2)', () => {
    expect(recordRestart([], 0, { maxRestarts: 0, withinMs: 1 }).decision).toBe('give_up');
  });

  it('allows no more than the limit in any window, whatever the gaps (V2)', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 5 }), (steps, maxRestarts) => {
        let history: readonly number[] = [];
        let now = 0;
        const all: number[] = [];
        for (const step of steps) {
          now += step;
          all.push(now);
          const recorded = recordRestart(history, now, { maxRestarts, withinMs: 60_000 });
          history = recorded.history;
          const inWindow = all.filter((at) => now - at < 60_000).length;
          expect(recorded.decision).toBe(inWindow > maxRestarts ? 'give_up' : 'restart');
        }
      }),
    );
  });
});
