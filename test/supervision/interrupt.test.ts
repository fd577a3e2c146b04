// Checks the ladder and the interrupt of trees (S1, S3 to S6, S8, S9).
import { describe, expect, it } from 'vitest';
import type { ActorRef } from '#src/actor/ref.js';
import { gate, reacting, testKernel, untilAborted } from '../support/kernel.ts';

/** Works until it is interrupted, and says so; ignores what it is told to ignore. */
function worker(name: string, log: string[] = []) {
  return reacting(
    async (message, self) => {
      log.push(`${name} begins ${message}`);
      if (message === 'ignore') await gate().passed;
      if (message === 'work') {
        await untilAborted(self.signal).catch((reason) => {
          log.push(`${name} ${reason.code}`);
          throw reason;
        });
      }
    },
    { stopped: () => void log.push(`${name} stops`) },
  );
}

const stages = async (receipts: ReturnType<ActorRef['stop']>) =>
  (await receipts).map(({ path, stage }) => `${path} ${stage}`);

describe('the ladder', () => {
  it('climbs from interrupt to stop to kill, each after its grace (S3)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const raised: string[] = [];
    const ref = kernel.spawnInline(
      reacting((_message, self) => {
        self.signal.addEventListener('abort', () => raised.push(`signal at ${clock.now()}`));
        return gate().passed;
      }),
    );
    ref.watch((exit) => raised.push(`${exit.reason} at ${clock.now()}`));
    ref.tell('go');
    await untilIdle();

    const receipts = ref.interrupt();
    await clock.advance(2_000);
    expect(kernel.tree.node(ref.id)?.cell.state).toEqual({
      status: 'stopping',
      reason: 'interrupted',
    });
    await clock.advance(2_000);

    expect(raised).toEqual(['signal at 0', 'killed at 4000']);
    expect(await receipts).toMatchObject([{ stage: 'killed', elapsedMs: 4_000 }]);
  });

  it('takes its graces from the options (S3)', async () => {
    const { kernel, clock, untilIdle } = testKernel({
      graces: { interruptGraceMs: 10, stopGraceMs: 5 },
    });
    const ref = kernel.spawnInline(worker('a'));
    ref.tell('ignore');
    await untilIdle();

    const receipts = ref.interrupt();
    await clock.advance(15);

    expect(await receipts).toMatchObject([{ stage: 'killed', elapsedMs: 15 }]);
  });

  it('gives a stop its grace, then kills (S3)', async () => {
    const { kernel, clock, letters, untilIdle } = testKernel();
    const ref = kernel.spawnInline(worker('a'));
    ref.tell('ignore');
    await untilIdle();

    const receipts = ref.stop();
    await clock.advance(2_000);

    expect(await receipts).toMatchObject([{ stage: 'killed', elapsedMs: 2_000 }]);
    expect(letters).toMatchObject([{ reason: 'in_doubt' }]);
  });

  it('lets a stronger signal overtake a weaker one, and both callers learn the end (S1)', async () => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(worker('a'), { name: 'a' });
    ref.tell('ignore');
    await untilIdle();

    const all = [ref.interrupt(), ref.stop(), ref.kill(), ref.interrupt()].map(stages);

    expect(await Promise.all(all)).toEqual([
      ['/a killed'],
      ['/a killed'],
      ['/a killed'],
      ['/a already_dead'],
    ]);
  });

  it('does nothing new on a repeat (S1)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(worker('a', log), { name: 'a' });
    ref.tell('work');
    await untilIdle();

    const both = await Promise.all([stages(ref.interrupt()), stages(ref.interrupt())]);

    expect(both).toEqual([['/a interrupted'], ['/a interrupted']]);
    expect(log).toEqual(['a begins work', 'a interrupted']);
  });

  it.each(['interrupt', 'stop', 'kill'] as const)('answers %s of the dead (S1)', async (signal) => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(worker('a'));
    await ref.stop();

    expect(await ref[signal]()).toEqual([
      { agentId: ref.id, path: ref.path, stage: 'already_dead', elapsedMs: 0, partial: null },
    ]);
  });
});

describe('the interrupt of a tree', () => {
  function tree() {
    const on = testKernel();
    const log: string[] = [];
    const spawn = (name: string, parent?: ActorRef, scope: 'run' | 'session' = 'session') =>
      on.kernel.spawnInline(worker(name, log), { name, scope, ...(parent && { parent }) });
    const top = spawn('top');
    const run = spawn('run', top, 'run');
    const leaf = spawn('leaf', run);
    const session = spawn('session', top);
    return { on, log, top, run, leaf, session };
  }

  it.each([
    { scope: 'run', gone: ['run', 'leaf'], begins: ['session', 'top'] },
    { scope: 'agent', gone: ['top', 'run', 'leaf', 'session'], begins: [] },
    { scope: 'subtree', gone: ['run', 'leaf'], begins: ['session', 'top'] },
  ] as const)('under scope $scope ends $gone (S5)', async ({ scope, gone, begins }) => {
    const { on, log, top, run, leaf, session } = tree();
    const refs = { top, run, leaf, session };

    await top.interrupt({ scope });

    for (const [name, ref] of Object.entries(refs)) {
      const isGone = on.kernel.tree.node(ref.id) === undefined;
      expect([name, isGone]).toEqual([name, (gone as readonly string[]).includes(name)]);
    }
    session.tell('more');
    top.tell('more');
    await on.untilIdle();
    expect(log.filter((line) => line.endsWith('begins more'))).toEqual(
      begins.map((name) => `${name} begins more`),
    );
  });

  it('gives one receipt per agent, parents first, after the last has settled (S4)', async () => {
    const { on, top, run, leaf } = tree();
    for (const ref of [top, run, leaf]) ref.tell('work');
    await on.untilIdle();

    expect(await stages(top.interrupt({ scope: 'agent' }))).toEqual([
      '/top interrupted',
      '/top/run interrupted',
      '/top/run/leaf interrupted',
      '/top/session not_started',
    ]);
  });

  it('signals every node at once and completes leaf-first (S4)', async () => {
    const { on, log, top, run, leaf } = tree();
    for (const ref of [top, run, leaf]) ref.tell('work');
    await on.untilIdle();
    log.length = 0;

    await top.interrupt({ scope: 'agent' });

    const ends = ['session stops', 'leaf stops', 'run stops', 'top stops'];
    expect(log.filter((line) => line.endsWith('stops'))).toEqual(ends);
    expect(log.filter((line) => line.endsWith('interrupted'))).toHaveLength(3);
  });

  it('has one deadline for the tree, not one per level (S4)', async () => {
    const { on, top, run, leaf } = tree();
    for (const ref of [top, run, leaf]) ref.tell('ignore');
    await on.untilIdle();

    const receipts = top.interrupt({ scope: 'agent' });
    await on.clock.advance(4_000);

    expect((await receipts).map(({ elapsedMs }) => elapsedMs)).toEqual([4_000, 4_000, 4_000, 0]);
  });

  it('refuses spawns and new receives while it is under way (S4)', async () => {
    const { on, log, top, session } = tree();
    top.tell('ignore');
    await on.untilIdle();

    const receipts = top.interrupt({ scope: 'subtree' });
    session.tell('work');
    expect(() => on.kernel.spawnInline(worker('late'), { parent: session })).toThrow(
      expect.objectContaining({ code: 'interrupting' }),
    );
    await on.clock.advance(2_000);
    expect(log).not.toContain('session begins work');
    await on.clock.advance(2_000);

    expect((await receipts)[0]?.stage).toBe('killed');
  });

  it('starts no child that is spawned from inside an interrupted receive (S8)', async () => {
    const { kernel, untilIdle } = testKernel();
    const codes: string[] = [];
    const parent = kernel.spawnInline(
      reacting(async (_message, self) => {
        await untilAborted(self.signal).catch(() => null);
        try {
          kernel.spawnInline(worker('late'), { parent: self.address });
        } catch (error) {
          codes.push((error as { code: string }).code);
        }
      }),
    );
    parent.tell('go');
    await untilIdle();

    await parent.interrupt();

    expect(codes).toEqual(['interrupting']);
    expect(kernel.tree.size).toBe(1);
  });

  it('hands over what the observer kept of an agent (S9)', async () => {
    const { kernel, untilIdle } = testKernel({
      observer: { partialOf: () => ({ text: 'so far' }) },
    });
    const ref = kernel.spawnInline(worker('a'));
    ref.tell('work');
    await untilIdle();

    expect(await ref.interrupt()).toMatchObject([{ partial: { text: 'so far' } }]);
  });
});

describe('kill', () => {
  it('runs no code of the actor: no cleanup, no effect of what is still running (S6)', async () => {
    const { kernel, letters, untilIdle } = testKernel();
    const log: string[] = [];
    const working = gate();
    const ref = kernel.spawnInline(
      reacting(
        async (_message, self) => {
          self.signal.addEventListener('abort', () => log.push('aborted'));
          await working.passed;
          self.tell(self.address, 'after death');
        },
        { stopped: () => void log.push('stops') },
      ),
    );
    ref.watch((exit) => log.push(exit.reason));
    ref.tell('go');
    ref.tell('queued');
    await untilIdle();

    await ref.kill();
    working.open();
    await untilIdle();

    expect(log).toEqual(['killed']);
    expect(letters.map(({ reason }) => reason)).toEqual(['in_doubt', 'stopped']);
  });

  it('has the supervisor stop the children in good order, which lost their parent (S6)', async () => {
    const { kernel } = testKernel();
    const log: string[] = [];
    const parent = kernel.spawnInline(worker('parent', log));
    const child = kernel.spawnInline(worker('child', log), { parent });
    for (const ref of [parent, child]) ref.watch((exit) => log.push(`${ref.id} ${exit.reason}`));

    await parent.kill();

    expect(log).toEqual(['child stops', `${child.id} parent_exit`, `${parent.id} killed`]);
  });

  it('ends an actor that has not finished its start (S6)', async () => {
    const { kernel } = testKernel();
    const exits: string[] = [];
    const ref = kernel.spawnInline(reacting(() => null, { start: () => gate().passed }));
    ref.watch((exit) => exits.push(exit.reason));

    expect(await ref.kill()).toMatchObject([{ stage: 'not_started' }]);
    expect(exits).toEqual(['killed']);
  });
});
