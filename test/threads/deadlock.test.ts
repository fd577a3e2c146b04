// Checks that actors that wait on each other for threads are told so at once, and that nobody else is.
import { describe, expect, it } from 'vitest';
import { fixture, patienceMs, spawnProbe, testSystem, within } from '../support/systems.ts';

const timeoutMs = patienceMs;
const module = String(fixture('obedient'));
const parentModule = fixture('parent');

/** Far above the deadline of every wait here: nothing in this file ends by it. */
const startTimeoutMs = 600_000;

describe('a full house of threads', () => {
  it('refuses the child that its parent waits for, and the parent goes on (V7)', async () => {
    const { system, letters } = testSystem({ threads: { max: 1 }, startTimeoutMs });
    const parent = await system.spawn(parentModule);

    const refused = await within(parent.ask({ module }, { timeoutMs }), 'the parent');

    expect(refused).toBe('deadlock');
    expect(await parent.ask({ list: true }, { timeoutMs })).toEqual([]);
    expect(letters).toEqual([]);
  });

  it('refuses one of two, and the other gets the next free thread (V7)', async () => {
    const { system } = testSystem({ threads: { max: 2 }, startTimeoutMs });
    const parents = [await system.spawn(parentModule), await system.spawn(parentModule)];

    const spawned = parents.map(async (parent) => {
      return { parent, result: await parent.ask({ module }, { timeoutMs }) };
    });
    const { parent, result } = await within(Promise.race(spawned), 'the first answer');
    expect(result).toBe('deadlock');
    await within(parent.stop(), 'the stop');

    const results = await within(Promise.all(spawned), 'both parents');
    expect(results.map((each) => each.result).sort()).toEqual(['deadlock', 'spawned']);
  });

  it('refuses a grandchild over an ask that holds its parent (V7)', async () => {
    const { system } = testSystem({ threads: { max: 2 }, startTimeoutMs });
    const [asker, parent] = [await system.spawn(module), await system.spawn(parentModule)];

    const question = { do: 'ask', to: parent.address, value: { module } };
    const answer = await within(asker.ask(question, { timeoutMs }), 'the answer');

    expect(answer).toBe('deadlock');
  });

  it('lets a wish wait as long as a holder works or is idle (V7)', async () => {
    const { system } = testSystem({ threads: { max: 1 }, startTimeoutMs });
    const { ref: watcher, next } = spawnProbe(system);
    const user = await system.spawn(module);
    user.tell({ do: 'wait', to: watcher.address });
    await next();

    const waiting = system.spawn(module);
    await within(user.interrupt(), 'the interrupt');
    await within(user.stop(), 'the stop');

    const late = await within(waiting, 'the thread that became free');
    expect(await late.ask({ do: 'report' }, { timeoutMs })).toEqual([]);
  });

  it('does not refuse a child that its parent does not wait for (V7)', async () => {
    const { system } = testSystem({ threads: { max: 1 }, startTimeoutMs });
    const parent = await system.spawn(parentModule);

    const left = parent.ask({ module, forget: true }, { timeoutMs });

    expect(await within(left, 'the receive')).toBe('forgotten');
    // A refusal would come before the answers to these: it needs no longer than they do.
    for (let look = 0; look < 3; look += 1) {
      expect(await parent.ask({ list: true }, { timeoutMs })).toEqual([]);
    }
  });

  it('refuses a child that asks its parent while the parent waits for its start (M7, V7)', async () => {
    const { system } = testSystem({ startTimeoutMs });
    const parent = await system.spawn(parentModule);

    const answer = parent.ask({ module: String(fixture('asks-in-start')) }, { timeoutMs });

    expect(await within(answer, 'the parent')).toBe('deadlock');
  });

  it('lets a child ask its parent in its first receive (V7)', async () => {
    const { system } = testSystem({ startTimeoutMs });
    const { ref: watcher, next } = spawnProbe(system);
    const parent = await system.spawn(parentModule);

    parent.tell({ module: String(fixture('asks-parent')), tell: watcher.address });

    expect(await next()).toBe('asked');
  });
});
