// Checks signals on real threads: in loops that never await, ahead of mail, and against code that ignores them.
import { describe, expect, it } from 'vitest';
import type { ActorSystemOptions } from '#src/actor.js';
import {
  exitOf,
  fixture,
  patienceMs,
  rejection,
  spawnProbe,
  testSystem,
  within,
} from '../support/systems.ts';

const timeoutMs = patienceMs;

async function arrange(options: ActorSystemOptions = {}) {
  const { system, reasons } = testSystem(options);
  const { ref: watcher, next: nextMessage } = spawnProbe(system);
  const spinner = await system.spawn(fixture('spinner'));
  const kept = () => within(spinner.ask({ list: true }, { timeoutMs }), 'what was kept');
  return { system, reasons, watcher, nextMessage, spinner, kept };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('an interrupt', () => {
  it('ends a receive that spins without awaiting, and keeps the actor (S2, S5)', async () => {
    const { spinner, watcher, nextMessage, kept, reasons } = await arrange();
    spinner.tell({ spin: true, tell: watcher.address, keep: 'spun' });
    await nextMessage();

    const receipts = await within(spinner.interrupt(), 'the interrupt');

    expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
    expect(await kept()).toEqual(['spun']);
    expect(reasons()).toEqual({});
  });

  it('aborts the signal of such a receive with its reason (S2)', async () => {
    const { spinner, watcher, nextMessage, kept } = await arrange();
    spinner.tell({ spin: true, throws: true, tell: watcher.address, keep: 'never' });
    await nextMessage();

    const receipts = await within(spinner.interrupt(), 'the interrupt');

    expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
    expect(await kept()).toEqual([]);
  });

  it('hits the message in hand, not those handed over before or after it (S5)', async () => {
    const { spinner, watcher, nextMessage, kept } = await arrange();
    for (const keep of numbers(20)) spinner.tell({ keep });
    spinner.tell({ spin: true, tell: watcher.address, keep: 'spun' });
    for (const keep of numbers(20)) spinner.tell({ spin: false, keep });
    await nextMessage();

    const receipts = await within(spinner.interrupt(), 'the interrupt');

    expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
    expect(await kept()).toEqual([...numbers(20), 'spun', ...numbers(20)]);
  });

  it('does not end a message that it only took back (S5)', async () => {
    const { spinner, watcher, nextMessage, kept } = await arrange();
    spinner.tell({ spin: true, tell: watcher.address });
    spinner.tell({ spin: true, tell: watcher.address });
    for (const _round of numbers(2)) {
      await nextMessage();
      const receipts = await within(spinner.interrupt(), 'the interrupt');
      expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
    }

    expect(await kept()).toEqual([]);
  });

  it('is idempotent: ten at once are one (S1)', async () => {
    const { spinner, watcher, nextMessage } = await arrange();
    spinner.tell({ spin: true, tell: watcher.address });
    await nextMessage();

    const all = await within(Promise.all(numbers(10).map(() => spinner.interrupt())), 'all ten');

    for (const receipts of all) expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
  });

  it('is late for a receive that ended: the actor is idle and nothing happens (S9)', async () => {
    const { spinner, kept } = await arrange();
    spinner.tell({ keep: 1 });
    await kept();

    await within(spinner.interrupt(), 'the interrupt');

    expect(await kept()).toEqual([1]);
  });

  it('stops, then kills, what ignores it (S3)', async () => {
    const { system, reasons } = testSystem({ graces: { interruptGraceMs: 1, stopGraceMs: 1 } });
    const { ref: watcher, next: nextMessage } = spawnProbe(system);
    const args = { watcher: watcher.address };
    const deaf = await system.spawn(fixture('faults'), { args });
    const exit = exitOf(deaf);
    deaf.tell({ fault: 'spin' });
    await nextMessage();

    const receipts = await within(deaf.interrupt({ scope: 'agent' }), 'the ladder');

    expect(receipts).toMatchObject([{ stage: 'killed' }]);
    expect((await exit).reason).toBe('killed');
    expect(reasons()).toEqual({ in_doubt: 1 });
  });
});

describe('stop and pause', () => {
  it('stops a receive that spins, cleaned up, its mail dead (S2, S5)', async () => {
    const { spinner, watcher, nextMessage, reasons } = await arrange();
    const exit = exitOf(spinner);
    spinner.tell({ spin: true, tell: watcher.address });
    for (const keep of numbers(30)) spinner.tell({ keep });
    await nextMessage();

    const receipts = await within(spinner.stop(), 'the stop');

    expect(receipts).toMatchObject([{ stage: 'interrupted' }]);
    expect((await exit).reason).toBe('stopped');
    expect(reasons()).toEqual({ stopped: 30 });
  });

  it('pause takes back what was handed over and not started, and resume gives it again (M4)', async () => {
    const { system, spinner, watcher, nextMessage, kept } = await arrange();
    spinner.tell({ spin: true, tell: watcher.address, keep: 'spun' });
    for (const keep of numbers(40)) spinner.tell({ keep, tell: watcher.address });
    await nextMessage();

    spinner.pause();
    await within(spinner.interrupt(), 'the interrupt');
    // Two more receives would tell the probe ahead of this: it is the next that it hears.
    system.refOf(watcher.address).tell('sentinel');
    expect(await nextMessage()).toBe('sentinel');
    for (const keep of numbers(40)) spinner.tell({ keep: 40 + keep });
    spinner.resume();

    expect(await kept()).toEqual(['spun', ...numbers(80)]);
    expect(system.ledger()).toMatchObject({ deadLettered: 0 });
  });

  it('pause and resume in quick turns neither lose, double nor reorder (M4, M3)', async () => {
    const { spinner, kept } = await arrange();
    const values = numbers(600);
    for (const keep of values) {
      spinner.tell({ keep, slowly: keep % 3 === 0 });
      if (keep % 7 === 3) spinner.pause();
      if (keep % 7 === 5) spinner.resume();
      if (keep % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    spinner.resume();

    expect(await kept()).toEqual(values);
  });

  it('stops while its module is being loaded, without running it (V1)', async () => {
    const { system } = testSystem();
    const { ref: watcher, next: nextMessage } = spawnProbe(system);
    await system.prewarm(1);
    const args = { watcher: watcher.address, inStart: 'spin' };
    const spawned = rejection(system.spawn(fixture('faults'), { args, name: 'early' }));

    const receipts = await within(system.find('/early')?.stop() ?? Promise.reject(), 'the stop');
    watcher.tell('sentinel');

    expect(receipts).toMatchObject([{ stage: 'not_started' }]);
    expect((await spawned).code).toBe('spawn_failed');
    expect(await nextMessage()).toBe('sentinel');
  });
});

describe('a kill', () => {
  it.each(['spin', 'block'])('ends a thread that would %s for ever (S6, S7)', async (fault) => {
    const { system, reasons } = testSystem();
    const { ref: watcher, next: nextMessage } = spawnProbe(system);
    const args = { watcher: watcher.address };
    const victims = [1, 2, 3];
    const refs = await Promise.all(victims.map(() => system.spawn(fixture('faults'), { args })));
    for (const ref of refs) ref.tell({ fault });
    for (const _ref of refs) await nextMessage();

    const killed = await within(Promise.all(refs.map((ref) => ref.kill())), 'the kills');

    for (const receipts of killed) expect(receipts).toMatchObject([{ stage: 'killed' }]);
    expect(reasons()).toEqual({ in_doubt: 3 });
  });

  it('counts as processed what was done and not told yet, and hands out the rest again (M4, V3)', async () => {
    const { system, reasons } = testSystem();
    const backoff = { minMs: 1, maxMs: 1, jitter: 0 };
    const ref = await system.spawn(fixture('spinner'), { restart: 'permanent', backoff });

    // One batch, processed in one go: the thread dies before it says a word about it.
    for (const keep of numbers(20)) ref.tell({ keep });
    ref.tell({ exit: true });
    for (const keep of [20, 21, 22]) ref.tell({ keep });

    expect(await within(ref.ask({ list: true }, { timeoutMs }), 'the next life')).toEqual([
      20, 21, 22,
    ]);
    expect(reasons()).toEqual({ in_doubt: 1 });
    expect(system.ledger()).toMatchObject({ accepted: 25, processed: 24, deadLettered: 1 });
  });

  it('counts a commit that lies in the port when its thread is gone (S7, V3)', async () => {
    const { system, reasons } = testSystem();
    const backoff = { minMs: 1, maxMs: 1, jitter: 0 };
    const ref = await system.spawn(fixture('commits'), { restart: 'permanent', backoff });

    ref.tell({ commit: { turn: 7 } });

    expect(await within(ref.ask({ list: true }, { timeoutMs }), 'the next life')).toEqual({
      turn: 7,
    });
    expect(reasons()).toEqual({ in_doubt: 1 });
  });
});
