// Checks which siblings start again together, and what they wait for (V2, V3).
import { describe, expect, it } from 'vitest';
import type { RestartType } from '#src/actor/behavior.js';
import type { ActorRef } from '#src/actor/ref.js';
import type { Strategy } from '#src/supervision/child-spec.js';
import { gate, reacting, type TestKernel, testKernel, untilAborted } from '../support/kernel.ts';

function member(name: string, log: string[]) {
  return reacting(
    (message, self) => {
      if (message === 'crash') throw new Error('boom');
      if (message === 'hang') return gate().passed;
      if (message === 'wait') return untilAborted(self.signal);
      return log.push(`${name} ${message}`);
    },
    {
      start: (self) => log.push(`${name} starts ${self.incarnation}`),
      stopped: () => void log.push(`${name} stops`),
    },
  );
}

type Family = {
  readonly on: TestKernel;
  readonly log: string[];
  readonly parent: ActorRef;
  readonly children: Readonly<Record<'a' | 'b' | 'c', ActorRef>>;
};

/** A parent and three children, started in the order a, b, c; the log begins after that. */
function family(strategy: Strategy, restart: RestartType = 'permanent'): Family {
  const on = testKernel();
  const log: string[] = [];
  const parent = on.kernel.spawnInline(
    reacting(() => null),
    { strategy },
  );
  const child = (name: string) =>
    on.kernel.spawnInline(member(name, log), { parent, restart, name });
  const children = { a: child('a'), b: child('b'), c: child('c') };
  log.length = 0;
  return { on, log, parent, children };
}

describe('a strategy', () => {
  it.each([
    { strategy: 'one_for_one', events: ['b starts 2'] },
    {
      strategy: 'one_for_all',
      events: ['c stops', 'a stops', 'a starts 2', 'b starts 2', 'c starts 2'],
    },
    { strategy: 'rest_for_one', events: ['c stops', 'b starts 2', 'c starts 2'] },
  ] as const)('is $strategy: stops newest first, starts in start order (V2)', async (row) => {
    const { on, log, children } = family(row.strategy);

    children.b.tell('crash');
    await on.untilIdle();
    await on.clock.advance(200);

    expect(log).toEqual(row.events);
  });

  it('keeps the mailboxes of all who start again (V3)', async () => {
    const { on, log, children } = family('one_for_all');

    children.b.tell('crash');
    for (const ref of Object.values(children)) ref.pause();
    for (const ref of Object.values(children)) ref.tell('kept');
    await on.untilIdle();
    children.b.resume();
    await on.untilIdle();
    await on.clock.advance(200);
    for (const ref of Object.values(children)) ref.resume();
    await on.untilIdle();

    expect(log.slice(-3)).toEqual(['a kept', 'b kept', 'c kept']);
    expect(on.letters).toMatchObject([{ reason: 'in_doubt' }]);
  });

  it('keeps what is sent to a sibling while it stops to start again (V3)', async () => {
    const { on, log, children } = family('one_for_all');
    const cleanup = gate();
    const slow = on.kernel.spawnInline(
      reacting((message) => log.push(`slow ${message}`), { stopped: () => cleanup.passed }),
      { parent: on.kernel.tree.node(children.a.id)!.parent!.cell.address, restart: 'permanent' },
    );
    children.a.tell('crash');
    await on.untilIdle();

    slow.tell('meanwhile');
    cleanup.open();
    await on.clock.advance(200);

    expect(log).toContain('slow meanwhile');
    expect(on.letters).toMatchObject([{ reason: 'in_doubt' }]);
  });

  it('leaves temporary siblings alone (V2)', async () => {
    const { on, log, parent, children } = family('one_for_all');
    on.kernel.spawnInline(member('temporary', log), { parent });
    log.length = 0;

    children.c.tell('crash');
    await on.untilIdle();
    await on.clock.advance(200);

    expect(log.filter((line) => line.startsWith('temporary'))).toEqual([]);
  });

  it('kills a sibling that does not stop, so that the others start again (S3)', async () => {
    const { on, log, children } = family('one_for_all');
    children.c.tell('hang');
    await on.untilIdle();

    children.a.tell('crash');
    await on.untilIdle();
    await on.clock.advance(1_999);
    expect(log).toEqual(['b stops']);
    await on.clock.advance(1);

    expect(log).toEqual(['b stops', 'a starts 2', 'b starts 2', 'c starts 2']);
  });

  it('restarts no child whose stop was asked for meanwhile (V2)', async () => {
    const { on, log, children } = family('one_for_all');
    children.b.tell('crash');
    await on.untilIdle();
    log.length = 0;

    await children.b.stop();
    await children.c.kill();
    await on.clock.advance(200);

    expect(log).toEqual(['a starts 2']);
  });

  it('takes everybody along again when one cannot start (V3)', async () => {
    const on = testKernel();
    const log: string[] = [];
    const parent = on.kernel.spawnInline(
      reacting(() => null),
      { strategy: 'one_for_all' },
    );
    const options = { parent, restart: 'permanent' } as const;
    const bad = on.kernel.spawnInline(
      reacting(() => Promise.reject(new Error('boom')), {
        start: (self) => {
          log.push(`bad starts ${self.incarnation}`);
          if (self.incarnation === 2) throw new Error('cannot start');
        },
      }),
      options,
    );
    on.kernel.spawnInline(member('good', log), options);
    log.length = 0;

    bad.tell('go');
    await on.untilIdle();
    await on.clock.advance(200);
    await on.clock.advance(400);

    expect(log).toEqual(['good stops', 'bad starts 2', 'bad starts 3', 'good starts 2']);
  });

  it('waits for the children of a sibling that ended by itself meanwhile (V3)', async () => {
    const { on, log, children } = family('one_for_all');
    const cleanup = gate();
    on.kernel.spawnInline(
      reacting(() => null, { stopped: () => cleanup.passed }),
      {
        parent: children.b,
      },
    );
    children.a.tell('crash');
    await on.untilIdle();

    children.b.tell('crash');
    await on.clock.advance(200);
    expect(log).toEqual(['c stops']);
    cleanup.open();
    await on.untilIdle();

    expect(log).toEqual(['c stops', 'a starts 2', 'b starts 2', 'c starts 2']);
  });

  it.each(['stop', 'kill'] as const)(
    'lets a %s of the parent come between (V3)',
    async (signal) => {
      const { on, log, parent, children } = family('one_for_all');
      children.a.tell('crash');
      await on.untilIdle();
      log.length = 0;

      await parent[signal]();
      await on.clock.advance(60_000);

      expect(log).toEqual([]);
      expect(on.kernel.tree.size).toBe(0);
      expect(on.clock.pending).toBe(0);
    },
  );
});
