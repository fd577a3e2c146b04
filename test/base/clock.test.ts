// Checks the clock that stands still, and the hold that keeps a process alive.
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ProcessRef, systemClock } from '#src/base/clock.js';
import { ManualClock } from '#src/testing.js';
import { census } from '../leaks.ts';
import { startNode } from '../support/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a program does whose threads answer after all else that held its process has ended. */
const answersLate = `
  import { ManualClock } from 'troupe/testing';
  const clock = new ManualClock();
  const leave = clock.settleWith(() => new Promise((resolve) => setTimeout(resolve, 50).unref()));
  await clock.advance(1);
  console.log('moved');
  leave();
  const wrong = clock.advance(-1).catch(({ code }) => code);
  console.log(await wrong);
`;

describe('ManualClock', () => {
  it('fires what falls due in order of time, then of registration', async () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push('c'));
    clock.after(10, () => fired.push('a'));
    clock.after(10, () => fired.push('b'));
    clock.after(21, () => fired.push('never'));

    await clock.advance(20);

    expect(fired).toEqual(['a', 'b', 'c']);
    expect(clock.now()).toBe(20);
    expect(clock.pending).toBe(1);
  });

  it('stands at the moment of each timer while it fires', async () => {
    const clock = new ManualClock(1_000);
    const seen: number[] = [];
    for (const delayMs of [5, 15]) clock.after(delayMs, () => seen.push(clock.wallTime()));

    await clock.advance(100);

    expect(seen).toEqual([1_005, 1_015]);
    expect(clock.wallTime()).toBe(1_100);
  });

  it('fires timers that timers set, within the same advance', async () => {
    const clock = new ManualClock();
    const fired: number[] = [];
    const again = (): void => {
      fired.push(clock.now());
      clock.after(10, again);
    };
    clock.after(10, again);

    await clock.advance(35);

    expect(fired).toEqual([10, 20, 30]);
  });

  it('fires a cancelled timer never, even when it is cancelled by its neighbour', async () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    clock.after(10, () => cancel());
    const cancel = clock.after(10, () => fired.push('late'));
    cancel();
    cancel();

    await clock.advance(100);

    expect(fired).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('awaits who registered with settleWith after each timer, until they leave', async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    const leave = clock.settleWith(async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      order.push('settled');
    });
    clock.after(1, () => order.push('first'));
    clock.after(2, () => order.push('second'));

    await clock.advance(2);
    const firsts = order.indexOf('first');
    expect(order.slice(firsts, firsts + 4)).toEqual(['first', 'settled', 'second', 'settled']);
    leave();
    order.length = 0;
    await clock.advance(2);

    expect(order).toEqual([]);
  });

  it('keeps the process alive until a move is over, and no longer', async () => {
    const program = startNode(['--input-type=module', '-e', answersLate], { cwd: root });

    const { code, stdout, stderr } = await program.ended;

    expect([code, stdout, stderr]).toEqual([0, 'moved\ninvalid_options\n', '']);
  });

  it('never goes back with two moves at a time', async () => {
    const clock = new ManualClock();

    await Promise.all([clock.advance(100), clock.advance(10)]);

    expect(clock.now()).toBe(100);
  });

  it('never goes back, and fires every due timer exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(50), { maxLength: 10 }),
        fc.array(fc.nat(30), { maxLength: 5 }),
        async (delays, steps) => {
          const clock = new ManualClock();
          const fired: number[] = [];
          for (const delayMs of delays) clock.after(delayMs, () => fired.push(clock.now()));
          // A timer fires when time is advanced, be it by nothing.
          for (const step of [0, ...steps]) await clock.advance(step);

          const now = steps.reduce((sum, step) => sum + step, 0);
          expect(fired).toEqual(delays.filter((at) => at <= now).sort((a, b) => a - b));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('systemClock', () => {
  it('keeps no process alive with its timers and takes a cancel twice', () => {
    const before = census().get('timer');
    const cancel = systemClock.after(1e12, () => {});

    expect(census().get('timer')).toBe(before);
    cancel();
    cancel();
  });

  it('waits for longer than a timer of the machine can, and without end for no limit (A35)', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const fired: string[] = [];
      const days = (count: number): number => count * 86_400_000;
      systemClock.after(days(10), () => fired.push('10'));
      systemClock.after(days(60), () => fired.push('60'));
      const cancel = systemClock.after(days(70), () => fired.push('70'));
      const cancelNever = systemClock.after(Number.MAX_SAFE_INTEGER, () => fired.push('never'));

      vi.advanceTimersByTime(days(60) - 1);
      expect(fired).toEqual(['10']);
      vi.advanceTimersByTime(1);
      expect(fired).toEqual(['10', '60']);
      // In its last piece.
      cancel();
      vi.advanceTimersByTime(days(1_000));
      expect(fired).toEqual(['10', '60']);
      cancelNever();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Resolves when as many timers hold the process: a hold lingers for a moment. */
async function timersAre(count: number): Promise<void> {
  while (census().get('timer') !== count) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

describe('ProcessHold', () => {
  it('holds the process from the first enter to the last leave', async () => {
    const processRef = new ProcessRef();
    const before = census().get('timer') ?? 0;

    processRef.enter();
    processRef.enter();
    processRef.leave();
    expect(census().get('timer')).toBe(before + 1);
    processRef.leave();
    await timersAre(before);
    processRef.enter();
    expect(census().get('timer')).toBe(before + 1);
    processRef.close();

    expect(census().get('timer')).toBe(before);
  });

  it('holds until a promise settles, however it does', async () => {
    const processRef = new ProcessRef();
    const before = census().get('timer') ?? 0;
    const failing = processRef.during(Promise.reject(new Error('no')));

    expect(census().get('timer')).toBe(before + 1);
    await expect(failing).rejects.toThrow('no');
    await timersAre(before);
    processRef.close();
  });
});
