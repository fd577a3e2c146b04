// Checks the order in which trees stop, and close (V5, V6).
import { describe, expect, it } from 'vitest';
import { stop } from '#src/actor/behavior.js';
import type { ActorRef } from '#src/actor/ref.js';
import { closeAll, gate, reacting, testKernel, untilAborted } from '../support/kernel.ts';

function forest() {
  const on = testKernel();
  const log: string[] = [];
  const spawn = (name: string, parent?: ActorRef) =>
    on.kernel.spawnInline(
      reacting((message, self) => (message === 'end' ? stop() : untilAborted(self.signal)), {
        stopped: () => void log.push(name),
      }),
      { name, ...(parent && { parent }) },
    );
  const a = spawn('a');
  const a1 = spawn('a1', a);
  const a2 = spawn('a2', a);
  const a1x = spawn('a1x', a1);
  const b = spawn('b');
  return { on, log, a, a1, a2, a1x, b, spawn };
}

describe('the end of a parent', () => {
  it.each([
    { how: 'stop', log: ['a2', 'a1x', 'a1', 'a'] },
    { how: 'end', log: ['a', 'a2', 'a1x', 'a1'] },
    { how: 'kill', log: ['a2', 'a1x', 'a1'] },
  ])(
    'stops in the reverse of the start order, leaf-first, after $how (V6)',
    async ({ how, log }) => {
      const family = forest();

      if (how === 'stop') await family.a.stop();
      else if (how === 'kill') await family.a.kill();
      else family.a.tell('end');
      await family.on.untilIdle();

      expect(family.log).toEqual(log);
      expect(family.on.kernel.tree.size).toBe(1);
    },
  );

  it('always stops the children, and tells its watchers after theirs (V5)', async () => {
    const { on, a, a1, a1x } = forest();
    const exits: string[] = [];
    for (const ref of [a, a1, a1x]) ref.watch((exit) => exits.push(`${ref.path} ${exit.reason}`));

    a.tell('end');
    await on.untilIdle();

    expect(exits).toEqual(['/a/a1/a1x parent_exit', '/a/a1 parent_exit', '/a normal']);
  });

  it('waits for a child that cleans up slowly, and refuses new ones meanwhile (V5)', async () => {
    const { on, a, spawn } = forest();
    const cleanup = gate();
    on.kernel.spawnInline(
      reacting(() => null, { stopped: () => cleanup.passed }),
      { parent: a },
    );
    const exits: string[] = [];
    a.watch((exit) => exits.push(exit.reason));

    a.tell('end');
    await on.untilIdle();
    expect(exits).toEqual([]);
    expect(() => spawn('late', a)).toThrow(expect.objectContaining({ code: 'actor_terminated' }));
    cleanup.open();
    await on.untilIdle();

    expect(exits).toEqual(['normal']);
  });

  it('lets a child end without its parent (V5)', async () => {
    const { on, a, a1 } = forest();

    await a1.kill();

    expect(on.kernel.tree.node(a.id)).toBeDefined();
    expect([...on.kernel.tree.node(a.id)!.children]).toHaveLength(1);
  });

  it('stops independent siblings concurrently (V6)', async () => {
    const on = testKernel();
    const parent = on.kernel.spawnInline(reacting(() => null));
    const gates = [gate(), gate()];
    const begun: number[] = [];
    gates.forEach(({ passed }, at) => {
      const stopped = () => {
        begun.push(at);
        return passed;
      };
      on.kernel.spawnInline(
        reacting(() => null, { stopped }),
        { parent },
      );
    });

    const stopping = parent.stop();
    expect(begun).toEqual([1, 0]);
    for (const one of gates) one.open();

    expect((await stopping).map(({ stage }) => stage)).toEqual(Array(3).fill('not_started'));
  });
});

describe('close', () => {
  it('interrupts receives and stops every tree, leaf-first, newest first (V6)', async () => {
    const { on, log, a, a2, b } = forest();
    for (const ref of [a, a2, b]) ref.tell('work');
    await on.untilIdle();

    await on.kernel.close();

    expect(log.filter((name) => name.startsWith('a'))).toEqual(['a1x', 'a1', 'a2', 'a']);
    expect(log).toContain('b');
  });

  it('stops admission at once (V6)', async () => {
    const { on, spawn, a } = forest();

    const closing = on.kernel.close();

    expect(() => spawn('late')).toThrow(expect.objectContaining({ code: 'closed' }));
    a.tell('late');
    await closing;
    expect(on.kernel.ledger()).toMatchObject({ offered: 1, refused: 1 });
  });

  it('is idempotent, and every caller waits for the end (V6)', async () => {
    const { on } = forest();
    const cleanup = gate();
    on.kernel.spawnInline(reacting(() => null, { stopped: () => cleanup.passed }));
    const log: string[] = [];

    const both = [on.kernel.close(), on.kernel.close()].map((one) => one.then(() => log.push('.')));
    await on.untilIdle();
    expect(log).toEqual([]);
    cleanup.open();
    await Promise.all(both);
    await on.kernel.close();

    expect(on.kernel.tree.size).toBe(0);
  });

  it('settles every ask (V6)', async () => {
    const { kernel, clock } = testKernel();
    const ref = kernel.spawnInline(reacting(() => gate().passed));
    const codes: string[] = [];
    for (const at of [1, 2]) {
      ref.ask(at, { timeoutMs: 1_000_000 }).catch((error) => codes.push(error.code));
    }
    await clock.advance(0);

    await closeAll(kernel, clock);

    expect(codes).toHaveLength(2);
    expect(kernel.router.asks.size).toBe(0);
  });

  it('is bounded when no actor cooperates (V6)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const exits: string[] = [];
    const refs = [
      kernel.spawnInline(reacting(() => gate().passed)),
      kernel.spawnInline(reacting(() => null, { stopped: () => gate().passed })),
      kernel.spawnInline(reacting(() => null, { start: () => gate().passed })),
    ];
    for (const ref of refs) ref.watch((exit) => exits.push(`${exit.reason} at ${clock.now()}`));
    refs[0]?.tell('go');
    await untilIdle();

    const closing = kernel.close();
    await clock.advance(2_000);
    await closing;

    expect(exits).toEqual(Array(3).fill('stopped at 2000'));
  });
});
