// Checks what a child's end does to its parent: escalation and links (V2, V5).
import { describe, expect, it } from 'vitest';
import { reacting, testKernel } from '../support/kernel.ts';

/** Logs its starts; crashes on any message. */
function member(name: string, log: string[]) {
  return reacting(() => Promise.reject(new Error('boom')), {
    start: (self) => log.push(`${name} starts ${self.incarnation}`),
  });
}

describe('escalation', () => {
  const twice = { intensity: { maxRestarts: 0, withinMs: 60_000 } };

  it('ends the parent too, which is crashed, and the siblings, which lost their parent (V2)', async () => {
    const on = testKernel();
    const exits: string[] = [];
    const parent = on.kernel.spawnInline(
      reacting(() => null),
      { name: 'parent' },
    );
    const options = { parent, restart: 'permanent', ...twice } as const;
    const child = on.kernel.spawnInline(member('child', []), { ...options, name: 'child' });
    const sibling = on.kernel.spawnInline(member('sibling', []), { ...options, name: 'sibling' });
    for (const ref of [parent, child, sibling]) {
      ref.watch((exit) => exits.push(`${ref.path} ${exit.reason}`));
    }

    child.tell('crash');
    await on.untilIdle();

    expect(exits).toEqual([
      '/parent/child restart_intensity',
      '/parent/sibling parent_exit',
      '/parent crashed',
    ]);
  });

  it('goes up one level only: a parent that may restart does (V2)', async () => {
    const on = testKernel();
    const log: string[] = [];
    const top = on.kernel.spawnInline(member('top', log), { restart: 'permanent' });
    const parent = on.kernel.spawnInline(member('parent', log), {
      parent: top,
      restart: 'permanent',
    });
    const child = on.kernel.spawnInline(member('child', log), {
      parent,
      restart: 'permanent',
      ...twice,
    });

    child.tell('crash');
    await on.untilIdle();
    await on.clock.advance(200);

    expect(log).toEqual(['top starts 1', 'parent starts 1', 'child starts 1', 'parent starts 2']);
    expect(on.kernel.tree.node(child.id)).toBeUndefined();
  });
});

describe('a linked child', () => {
  it.each([
    { end: 'crash', isLinked: true, parentEnds: ['crashed'] },
    { end: 'kill', isLinked: true, parentEnds: ['crashed'] },
    { end: 'stop', isLinked: true, parentEnds: [] },
    { end: 'crash', isLinked: false, parentEnds: [] },
    { end: 'kill', isLinked: false, parentEnds: [] },
  ])('takes its parent along: linked $isLinked, $end -> $parentEnds (V5)', async (row) => {
    const on = testKernel();
    const exits: string[] = [];
    const parent = on.kernel.spawnInline(reacting(() => null));
    const child = on.kernel.spawnInline(member('child', []), { parent, linked: row.isLinked });
    parent.watch((exit) => exits.push(exit.reason));

    if (row.end === 'crash') child.tell('crash');
    else if (row.end === 'kill') await child.kill();
    else await child.stop();
    await on.untilIdle();

    expect(exits).toEqual(row.parentEnds);
  });

  it('lets its parent start again when that is its restart type (V5)', async () => {
    const on = testKernel();
    const log: string[] = [];
    const parent = on.kernel.spawnInline(member('parent', log), { restart: 'transient' });
    const child = on.kernel.spawnInline(member('child', []), { parent, linked: true });

    child.tell('crash');
    await on.untilIdle();
    await on.clock.advance(200);

    expect(log).toEqual(['parent starts 1', 'parent starts 2']);
  });

  it('is no reason to restart a parent that is being stopped (V5)', async () => {
    const on = testKernel();
    const log: string[] = [];
    const parent = on.kernel.spawnInline(member('parent', log), { restart: 'permanent' });
    const child = on.kernel.spawnInline(
      reacting(() => null, { stopped: () => Promise.reject(new Error('cannot clean up')) }),
      { parent, linked: true },
    );
    parent.watch((exit) => log.push(exit.reason));

    await parent.stop();
    await on.clock.advance(60_000);

    expect(on.kernel.tree.node(child.id)).toBeUndefined();
    expect(log.slice(1)).not.toContain('parent starts 2');
    expect(log.at(-1)).toMatch(/crashed|stopped/);
  });
});
