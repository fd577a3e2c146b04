// Checks pause and resume in every phase of an activation.
import { describe, expect, it } from 'vitest';
import { gate, reacting, testKernel } from '../support/kernel.ts';

describe('a pause', () => {
  it('hands over no more mail until resume', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(reacting((message) => log.push(message)));

    ref.pause();
    ref.tell(1);
    await untilIdle();
    expect(log).toEqual([]);
    ref.resume();
    await untilIdle();

    expect(log).toEqual([1]);
  });

  it('holds when it came while the actor was starting, and a resume takes it back', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const started = gate();
    const options = { start: () => started.passed };
    const paused = kernel.spawnInline(reacting((message) => log.push(`held ${message}`), options));
    const freed = kernel.spawnInline(reacting((message) => log.push(`freed ${message}`), options));

    for (const ref of [paused, freed]) {
      ref.pause();
      ref.tell(1);
    }
    freed.resume();
    started.open();
    await untilIdle();
    expect(log).toEqual(['freed 1']);
    paused.resume();
    await untilIdle();

    expect(log).toEqual(['freed 1', 'held 1']);
  });

  it('holds across a restart', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: unknown[] = [];
    const first = gate();
    const ref = kernel.spawnInline(
      reacting((message) => (message === 'crash' ? first.passed : log.push(message))),
      { restart: 'permanent' },
    );
    ref.tell('crash');
    ref.tell('after');
    await untilIdle();

    ref.pause();
    first.fail(new Error('boom'));
    await clock.advance(200);
    expect(log).toEqual([]);
    ref.resume();
    await untilIdle();

    expect(log).toEqual(['after']);
  });
});
