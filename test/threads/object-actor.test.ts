// Checks classes as actors: typed calls, failing calls, names that are refused, state that is kept.
import { describe, expect, it } from 'vitest';
import { exitOf, fixture, patienceMs, rejection, testSystem, within } from '../support/systems.ts';

type Abacus = {
  add(value: number): number;
  addLater(value: number): Promise<number>;
  fail(): never;
  failBadly(): never;
  opaque(): unknown;
  nothing(): void;
  peek(): number;
};
type Scale = Abacus & { weigh(): number };

const module = fixture('abacus');

async function abacus(start?: number) {
  const { system, reasons } = testSystem();
  const object = await system.spawnObject<Abacus>(
    module,
    start === undefined ? {} : { args: [start] },
  );
  return { system, reasons, object };
}

/** A call by a name that the type does not have. */
function call(object: object, name: string, ...args: unknown[]): Promise<unknown> {
  return (
    (object as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]?.(...args) ??
    Promise.reject()
  );
}

describe('an object on a thread', () => {
  it('answers its calls in their order, and keeps its state', async () => {
    const { object } = await abacus(10);

    const sums = await Promise.all([
      object.add(1),
      object.addLater(2),
      object.add(3),
      object.peek(),
    ]);

    expect(sums).toEqual([11, 13, 16, 16]);
  });

  it('answers undefined for a method that returns nothing', async () => {
    const { object } = await abacus();

    expect(await object.nothing()).toBeUndefined();
  });

  it('rejects the call of a method that throws, and no other (M7)', async () => {
    const { object, reasons } = await abacus();

    const [failed, sum] = await Promise.all([rejection(object.fail()), object.add(1)]);

    expect(failed).toMatchObject({ code: 'model_auth', message: 'out of beads' });
    expect(await rejection(object.failBadly())).toMatchObject({
      code: 'refused',
      message: 'with a tail',
    });
    expect(sum).toBe(1);
    expect(reasons()).toEqual({});
  });

  it('rejects the call whose result is not plain, and no other (M6)', async () => {
    const { object } = await abacus();

    expect((await rejection(object.opaque())).code).toBe('not_serializable');
    expect(await object.add(1)).toBe(1);
  });

  it.each([
    'constructor',
    'prototype',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'size',
    'own',
    '#hidden',
    'missing',
    '',
  ])('refuses the name %j', async (name) => {
    const { system, object } = await abacus();
    const ref = object.$ref;

    const error = await rejection(ref.ask({ method: name, args: [] }, { timeoutMs: patienceMs }));

    expect(error.code).toBe('unknown_method');
    expect(await object.add(1)).toBe(1);
    expect(system.ledger().deadLettered).toBe(0);
  });

  it('has no method `then`, so that it can be awaited', async () => {
    const { object } = await abacus();

    const awaited = await object;

    expect(Reflect.get(awaited, 'then')).toBeUndefined();
    expect(await awaited.add(2)).toBe(2);
  });

  it('is not written to', async () => {
    const { object } = await abacus();

    expect(() => Reflect.set(object, 'add', 1)).toThrowError('methods only');
  });

  it('refuses the facade a constructor, and calls it by a name that looks like one', async () => {
    const { object } = await abacus();

    expect((await rejection(call(object, 'constructor', 'return process'))).code).toBe(
      'unknown_method',
    );
  });

  it('is any class that its module exports, with what it inherits', async () => {
    const { system } = testSystem();

    const scale = await system.spawnObject<Scale>(module, { exportName: 'Scale', args: [1] });

    expect(await scale.weigh()).toBe(2);
    expect(await scale.peek()).toBe(2);
  });

  it('fails its start with what its constructor threw, or with module_failed', async () => {
    const { system } = testSystem();

    const thrown = await rejection(system.spawnObject(module, { args: [-1] }));
    expect(thrown).toMatchObject({ code: 'spawn_failed', message: 'RangeError: below zero' });
    for (const exportName of ['notAClass', 'absent']) {
      const error = await rejection(system.spawnObject(module, { exportName }));
      expect(error.code).toBe('module_failed');
    }
    expect((await rejection(system.spawnObject(fixture('absent')))).code).toBe('module_failed');
  });

  it('ends when it is sent what is no call (V1)', async () => {
    const { object } = await abacus();
    const exit = exitOf(object.$ref);

    object.$ref.tell('add');

    expect((await exit).reason).toBe('crashed');
    expect((await rejection(within(object.add(1), 'the call'))).code).toBe('actor_terminated');
  });
});
