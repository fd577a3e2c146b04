// Checks that an end is told once, in order, with its reason (V4, V5).
import { describe, expect, it } from 'vitest';
import { stop } from '#src/actor/behavior.js';
import { isNormalExit } from '#src/actor/exit.js';
import { gate, reacting, spawnProbe, testKernel } from '../support/kernel.ts';

describe('watch', () => {
  it('gives exactly one terminated, however often it was asked for (V5)', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const ref = on.kernel.spawnInline(reacting(() => stop()));
    on.kernel.router.watch(watcher.address, ref.address);
    on.kernel.router.watch(watcher.address, ref.address);

    ref.tell('go');
    expect(await probe.expectMessage()).toEqual({
      type: 'terminated',
      actor: ref.address,
      reason: 'normal',
    });
    watcher.tell('sentinel');

    expect(await probe.expectMessage()).toBe('sentinel');
  });

  it('gives terminated at once for an actor that has ended (V5)', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const ref = on.kernel.spawnInline(reacting(() => null));
    await ref.stop();

    on.kernel.router.watch(watcher.address, ref.address);

    expect(await probe.expectExit()).toBe('stopped');
  });

  it('still says why an actor ended badly (V5)', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const ref = on.kernel.spawnInline(reacting(() => Promise.reject(new Error('boom'))));
    const exits: unknown[] = [];
    ref.tell('go');
    await on.untilIdle();

    on.kernel.router.watch(watcher.address, ref.address);
    ref.watch((exit) => exits.push(exit));

    expect(await probe.expectExit()).toBe('crashed');
    expect(exits).toMatchObject([{ reason: 'crashed', failure: { message: 'boom' } }]);
  });

  it('is over with unwatch (V5)', async () => {
    const on = testKernel();
    const { probe, ref: watched } = spawnProbe(on);
    const log: unknown[] = [];
    const target = on.kernel.spawnInline(reacting(() => null));
    const watcher = on.kernel.spawnInline(
      reacting((message, self) => {
        if (message === 'watch') self.watch(target.address);
        else if (message === 'unwatch') self.unwatch(target.address);
        else log.push(message);
      }),
    );
    watcher.tell('watch');
    watcher.tell('unwatch');
    await on.untilIdle();

    await target.stop();
    watcher.tell('sentinel');
    await on.untilIdle();

    expect(log).toEqual(['sentinel']);
    expect(probe.received).toEqual([]);
    expect(watched.path).toBe(probe.address.path);
  });

  it('comes after the release of the name (V5)', async () => {
    const { kernel } = testKernel();
    const names: string[] = [];
    const first = kernel.spawnInline(
      reacting(() => null),
      { name: 'only' },
    );
    expect(() =>
      kernel.spawnInline(
        reacting(() => null),
        { name: 'only' },
      ),
    ).toThrow(expect.objectContaining({ code: 'name_taken' }));
    first.watch(() => {
      names.push(
        kernel.spawnInline(
          reacting(() => null),
          { name: 'only' },
        ).path,
      );
    });

    await first.stop();

    expect(names).toEqual(['/only']);
  });

  it('comes when the activation has ended, not when the stop was asked for (V5)', async () => {
    const { kernel, untilIdle } = testKernel();
    const cleanedUp = gate();
    const log: string[] = [];
    const ref = kernel.spawnInline(reacting(() => null, { stopped: () => cleanedUp.passed }));
    ref.watch((exit) => log.push(exit.reason));

    const stopped = ref.stop();
    await untilIdle();
    log.push('still there');
    cleanedUp.open();
    await stopped;

    expect(log).toEqual(['still there', 'stopped']);
  });

  it('is silent about a restart and speaks at the end (V5)', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const ref = on.kernel.spawnInline(
      reacting(() => {
        throw new Error('boom');
      }),
      { restart: 'permanent' },
    );
    on.kernel.router.watch(watcher.address, ref.address);

    ref.tell('go');
    await on.clock.advance(200);
    watcher.tell('sentinel');
    expect(await probe.expectMessage()).toBe('sentinel');
    await ref.stop();

    expect(await probe.expectExit()).toBe('stopped');
  });

  it('tells every listener, also after one that throws, and reports that one (V5)', async () => {
    const reported: unknown[] = [];
    const { kernel, untilIdle } = testKernel({
      observer: { listenerFailed: (cell, error) => reported.push([cell.address, error]) },
    });
    const log: string[] = [];
    const ref = kernel.spawnInline(reacting(() => stop()));
    const mistake = new Error('a bad listener');
    ref.watch(() => {
      throw mistake;
    });
    ref.watch((exit) => log.push(exit.reason));

    ref.tell('go');
    await untilIdle();

    expect(log).toEqual(['normal']);
    expect(reported).toEqual([[ref.address, mistake]]);
  });
});

describe('isNormalExit', () => {
  it.each([
    ['normal', true],
    ['interrupted', true],
    ['stopped', true],
    ['parent_exit', true],
    ['killed', false],
    ['crashed', false],
    ['out_of_memory', false],
    ['spawn_failed', false],
    ['restart_intensity', false],
    ['unresponsive', false],
  ] as const)('answers %s: %s (V4)', (reason, expected) => {
    expect(isNormalExit(reason)).toBe(expected);
  });
});
