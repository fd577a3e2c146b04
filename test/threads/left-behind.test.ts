// Checks that people learn of modules whose lives cost a thread each.
import { expect, it } from 'vitest';
import type { SystemLog } from '#src/actor.js';
import { fixture, patienceMs, testSystem, within } from '../support/systems.ts';

it('modules whose lives leave something behind one after another are named once (W5)', async () => {
  const logs: SystemLog[] = [];
  const { system } = testSystem({ onLog: (entry) => logs.push(entry) });
  const guest = fixture('slot-guest');

  for (let activation = 0; activation < 4; activation += 1) {
    const ref = await within(system.spawn(guest), 'a guest');
    const asked = ref.ask({ leave: 'unreferenced timer' }, { timeoutMs: patienceMs });
    const seen = await within(asked, 'what it saw');
    await within(ref.stop(), 'its end');
    expect([seen, logs.length]).toMatchObject([{ guests: 1 }, activation < 2 ? 0 : 1]);
  }

  expect(logs).toMatchObject([
    {
      level: 'warn',
      message: expect.stringContaining(guest.href),
      failure: {
        code: 'thread_exited',
        message: 'left behind: an unreferenced timer',
      },
    },
  ]);
});
