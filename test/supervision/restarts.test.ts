// Checks restarts of one actor, and what may come between two activations (V2, V3).
import { describe, expect, it } from 'vitest';
import { behavior, next, stop } from '#src/actor/behavior.js';
import { gate, reacting, testKernel } from '../support/kernel.ts';

/** Logs each start; crashes on `crash`, ends on `end`, logs the rest. */
function fragile(name: string, log: unknown[]) {
  return reacting(
    (message) => {
      if (message === 'crash') throw new Error('boom');
      if (message === 'end') return stop();
      return log.push(`${name} ${message}`);
    },
    {
      start: (self) => log.push(`${name} starts ${self.incarnation}`),
      stopped: () => void log.push(`${name} stops`),
    },
  );
}

describe('a restart', () => {
  it.each([
    { restart: 'permanent', message: 'crash', activations: 2 },
    { restart: 'permanent', message: 'end', activations: 2 },
    { restart: 'transient', message: 'crash', activations: 2 },
    { restart: 'transient', message: 'end', activations: 1 },
    { restart: 'temporary', message: 'crash', activations: 1 },
    { restart: 'temporary', message: 'end', activations: 1 },
  ] as const)('gives a $restart actor $lives lives after $message (V2)', async (row) => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(fragile('a', log), { restart: row.restart });

    ref.tell(row.message);
    await untilIdle();
    await clock.advance(200);

    expect(log.filter((line) => line.includes('starts'))).toHaveLength(row.activations);
  });

  it.each(['stop', 'kill'] as const)('does not follow a %s (V2)', async (signal) => {
    const { kernel, clock } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(fragile('a', log), { restart: 'permanent' });

    await ref[signal]();
    await clock.advance(60_000);

    expect(log.filter((line) => line === 'a starts 2')).toEqual([]);
    expect(kernel.tree.node(ref.id)).toBeUndefined();
  });

  it('waits for its backoff, and doubles it (V2)', async () => {
    const delays: number[] = [];
    const { kernel, clock, untilIdle } = testKernel({
      observer: { restarting: (_cell, _exit, delayMs) => delays.push(delayMs) },
    });
    const log: unknown[] = [];
    const ref = kernel.spawnInline(fragile('a', log), { restart: 'permanent' });

    ref.tell('crash');
    await untilIdle();
    await clock.advance(199);
    expect(log).toEqual(['a starts 1']);
    await clock.advance(1);
    expect(log).toEqual(['a starts 1', 'a starts 2']);
    ref.tell('crash');
    await untilIdle();

    expect(delays).toEqual([200, 400]);
  });

  it('keeps the ref, counts the incarnation, and restores the last commit (V3)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const counter = behavior<number, string>({
      start: (_args, self) => (self.snapshot as number | undefined) ?? 0,
      receive: (count, message, self) => {
        if (message === 'crash') throw new Error('boom');
        if (message === 'get') self.reply([count, self.incarnation]);
        if (message === 'commit') self.commit(count);
        return next(message === 'add' ? count + 1 : count);
      },
    });
    const ref = kernel.spawnInline<string>(counter, { restart: 'permanent' });

    for (const message of ['add', 'add', 'commit', 'add', 'crash']) ref.tell(message);
    await untilIdle();
    await clock.advance(200);

    expect(await ref.ask('get', { timeoutMs: 100 })).toEqual([2, 2]);
  });

  it('stops the children before it starts again (V3)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: unknown[] = [];
    const parent = kernel.spawnInline(fragile('parent', log), { restart: 'permanent' });
    kernel.spawnInline(fragile('child', log), { parent, restart: 'permanent' });

    parent.tell('crash');
    await untilIdle();
    await clock.advance(200);

    expect(log).toEqual(['parent starts 1', 'child starts 1', 'child stops', 'parent starts 2']);
  });

  it('is retried when it fails, and a stop can come between (V3)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(
      reacting(
        () => {
          throw new Error('boom');
        },
        {
          start: (self) => {
            log.push(`starts ${self.incarnation}`);
            if (self.incarnation > 1) throw new Error('cannot start');
          },
        },
      ),
      { restart: 'permanent' },
    );
    ref.watch((exit) => log.push(exit.reason));

    ref.tell('go');
    await untilIdle();
    await clock.advance(200);
    await clock.advance(400);
    expect(log).toEqual(['starts 1', 'starts 2', 'starts 3']);
    await ref.stop();

    expect(log).toEqual(['starts 1', 'starts 2', 'starts 3', 'stopped']);
    expect(clock.pending).toBe(0);
  });

  it.each([
    {
      how: 'throws',
      start: () => {
        throw new Error('no');
      },
    },
    { how: 'rejects', start: () => Promise.reject(new Error('no')) },
  ])('is not tried for a first start that $how: spawn_failed (V4)', async ({ start }) => {
    const { kernel, untilIdle } = testKernel();
    const exits: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting(() => null, { start }),
      { restart: 'permanent' },
    );
    ref.watch((exit) => exits.push(exit.reason));

    await untilIdle();

    expect(kernel.tree.node(ref.id)).toBeUndefined();
    expect(exits).toEqual(['spawn_failed']);
  });

  it('stops the child after the third restart in a minute, and not before (V2)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const exits: unknown[] = [];
    const log: unknown[] = [];
    const ref = kernel.spawnInline(fragile('a', log), { restart: 'permanent' });
    ref.watch((exit) => exits.push(exit));

    for (const delayMs of [200, 400, 800]) {
      ref.tell('crash');
      await untilIdle();
      await clock.advance(delayMs);
      expect(exits).toEqual([]);
    }
    ref.tell('crash');
    await untilIdle();

    expect(exits).toMatchObject([{ reason: 'restart_intensity', failure: { message: 'boom' } }]);
    expect(log.filter((line) => String(line).includes('starts'))).toHaveLength(4);
  });
});

describe('an actor between two activations', () => {
  const signals = [
    { signal: 'stop', scope: null, exit: 'stopped', stage: 'stopped' },
    { signal: 'kill', scope: null, exit: 'killed', stage: 'killed' },
    { signal: 'interrupt', scope: 'agent', exit: 'interrupted', stage: 'stopped' },
  ] as const;

  it.each(signals)('ends $exit under $signal, without another start (S1)', async (row) => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(fragile('a', log), { restart: 'permanent' });
    ref.watch((exit) => log.push(exit.reason));
    ref.tell('crash');
    ref.tell('queued');
    await untilIdle();

    const receipts =
      row.signal === 'interrupt' ? ref.interrupt({ scope: row.scope }) : ref[row.signal]();
    await clock.advance(60_000);

    expect((await receipts).map(({ stage }) => stage)).toEqual([row.stage]);
    expect(log).toEqual(['a starts 1', row.exit]);
    expect(clock.pending).toBe(0);
  });

  it('survives an interrupt of its run: there is none (S5)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(fragile('a', log), { restart: 'permanent' });
    ref.tell('crash');
    ref.tell('queued');
    await untilIdle();

    await ref.interrupt();
    await clock.advance(200);

    expect(log).toEqual(['a starts 1', 'a starts 2', 'a queued']);
  });

  it('is what an interrupted receive that crashes leaves, and its receipt comes at once (S4)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(
      reacting(
        (_message, self) =>
          new Promise((_resolve, reject) => {
            self.signal.addEventListener('abort', () => reject(new Error('a crash of its own')));
          }),
        { start: (self) => log.push(`starts ${self.incarnation}`) },
      ),
      { restart: 'permanent' },
    );
    ref.tell('go');
    await untilIdle();

    const [receipt] = await ref.interrupt();
    expect(receipt).toMatchObject({ stage: 'interrupted', elapsedMs: 0 });
    await clock.advance(200);

    expect(log).toEqual(['starts 1', 'starts 2']);
  });

  it('holds its next activation back while the tree is frozen (S4)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: unknown[] = [];
    const stuck = gate();
    const parent = kernel.spawnInline(reacting(() => stuck.passed));
    const child = kernel.spawnInline(fragile('child', log), { parent, restart: 'permanent' });
    parent.tell('go');
    child.tell('crash');
    child.tell('queued');
    await untilIdle();

    const receipts = parent.interrupt({ scope: 'subtree' });
    await clock.advance(200);
    expect(log).toEqual(['child starts 1', 'child starts 2']);
    stuck.open();
    await receipts;
    await untilIdle();

    expect(log).toEqual(['child starts 1', 'child starts 2', 'child queued']);
  });
});
