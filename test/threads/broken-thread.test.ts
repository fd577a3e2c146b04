// Checks what becomes of a thread that an activation broke: who is hurt by it, who never learns of it, when reuse ends.
import { describe, expect, it } from 'vitest';
import type { ActorRef, ActorSystem, SystemLog } from '#src/actor.js';
import { fixture, patienceMs, rejection, testSystem, within } from '../support/systems.ts';

const poisoner = fixture('poisoner');
const timeoutMs = patienceMs;

/** One life from start to end; resolves with its thread. */
async function stay(system: ActorSystem, message: object = {}): Promise<unknown> {
  const ref = await within(system.spawn(poisoner), 'a life');
  const ended = new Promise((resolve) => ref.watch(resolve));
  const thread = await within(ref.ask(message, { timeoutMs }), 'its thread');
  if (!('way' in message)) void ref.stop();
  await within(ended, 'its end');
  return thread;
}

async function visit(system: ActorSystem, module: URL): Promise<unknown> {
  const ref: ActorRef = await within(system.spawn(module), 'a guest');
  const seen = await within(ref.ask({}, { timeoutMs }), 'what it saw');
  await within(ref.stop(), 'its end');
  return seen;
}

describe('a thread', () => {
  it('serves nobody after an activation that crashed on it (V1)', async () => {
    const { system } = testSystem();

    const crashed = await stay(system, { way: 'crash' });

    expect(await stay(system)).not.toBe(crashed);
  });

  it('serves nobody after an activation that could not start on it (V1)', async () => {
    const { system } = testSystem();
    const broken = await stay(system, { way: 'module' });

    expect(await rejection(system.spawn(poisoner))).toMatchObject({ message: 'poisoned' });

    const healthy = [await stay(system), await stay(system)];
    expect(healthy).toEqual([healthy[0], healthy[0]]);
    expect(healthy[0]).not.toBe(broken);
  });

  it.each(['array', 'json', 'inherited'])(
    'serves nobody after an activation that changed what everybody uses (%s) (V1)',
    async (way) => {
      const { system } = testSystem();

      const changed = await stay(system, { way });

      expect(await stay(system)).not.toBe(changed);
    },
  );
});

describe('modules that failed twice on used threads', () => {
  it('get fresh threads from then on, and it is said once (V1)', async () => {
    const logs: SystemLog[] = [];
    const { system } = testSystem({ onLog: (entry) => logs.push(entry) });
    const spoil = async (): Promise<void> => {
      await stay(system, { way: 'module' });
      await rejection(system.spawn(poisoner));
    };

    await spoil();
    expect(logs).toEqual([]);
    await spoil();

    expect(logs).toMatchObject([
      {
        level: 'warn',
        message: expect.stringContaining(poisoner.href),
        failure: { message: 'poisoned' },
      },
    ]);
    const threads = [await stay(system, { way: 'module' }), await stay(system), await stay(system)];
    expect(new Set(threads).size).toBe(3);
    expect(logs).toHaveLength(1);
    const guest = fixture('slot-guest');
    await visit(system, guest);
    expect(await visit(system, guest)).toMatchObject({ guests: 2 });
  });
});
