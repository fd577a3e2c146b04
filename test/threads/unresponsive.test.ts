// Checks a thread that does not exit although it was killed: its actor is unresponsive, its slot stays charged.
import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActorSystem, SystemLog } from '#src/actor.js';
import { ManualClock } from '#src/base/clock.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import {
  exitOf,
  fixture,
  patienceMs,
  rejection,
  spawnProbe,
  testSystem,
  within,
} from '../support/systems.ts';

/** The process that the native call waits for; ending it frees the thread. */
async function pidIn(folder: string, name: string): Promise<number> {
  const read = (): number => {
    try {
      return Number(readFileSync(join(folder, name), 'utf8'));
    } catch {
      return 0;
    }
  };
  const written = new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      if (read() === 0) return;
      watcher.close();
      resolve();
    });
    if (read() === 0) return;
    watcher.close();
    resolve();
  });
  await within(written, 'the native call to begin');
  return read();
}

/** An actor that hangs in native code, its thread told to die. */
async function wedge(options: Parameters<typeof testSystem>[0] = {}) {
  const clock = new ManualClock();
  const { system, reasons } = testSystem({ clock, ...options });
  const { ref: watcher, next: nextMessage } = spawnProbe(system);
  const folder = temporaryFolder();
  const actor = await system.spawn(fixture('native'), { name: 'native' });
  const exit = exitOf(actor);
  const asked = actor.ask(
    { pidFile: join(folder, 'pid'), watcher: watcher.address },
    { timeoutMs: 60_000 },
  );
  const why = rejection(asked);
  await nextMessage();
  const pid = await pidIn(folder, 'pid');
  let isFree = false;
  const free = (): void => {
    if (!isFree) process.kill(pid, 'SIGKILL');
    isFree = true;
  };
  onTestFinished(free);
  const killed = actor.kill();
  return { clock, system, reasons, actor, exit, why, killed, free };
}

async function untilNoThread(system: ActorSystem): Promise<void> {
  const gone = (async () => {
    while (system.threads > 0) await new Promise((resolve) => setImmediate(resolve));
  })();
  await within(gone, 'the thread to exit');
}

describe('a thread that hangs in native code', () => {
  it('is unresponsive ten seconds after its kill: the actor is over, its slot is charged (S7)', async () => {
    const { clock, system, reasons, actor, exit, why, killed, free } = await wedge();

    await clock.advance(9_999);
    expect(system.find('/native')).not.toBeNull();
    await clock.advance(1);

    expect((await exit).reason).toBe('unresponsive');
    expect(await within(killed, 'the receipts')).toMatchObject([{ stage: 'unresponsive' }]);
    expect((await why).code).toBe('actor_terminated');
    expect(system.find('/native')).toBeNull();
    expect(await actor.offer('anything', { timeoutMs: patienceMs })).toBe('dead');
    expect(await actor.kill()).toMatchObject([{ stage: 'already_dead' }]);
    expect(system.threads).toBe(1);
    expect(reasons()).toEqual({ stopped: 1, terminated: 1 });

    free();
    await untilNoThread(system);
  });

  it('settles at its exit when that comes in time, never before (S7)', async () => {
    const { clock, system, exit, killed, free } = await wedge();
    await clock.advance(5_000);
    expect(system.find('/native')).not.toBeNull();

    free();

    expect((await exit).reason).toBe('killed');
    expect(await within(killed, 'the receipts')).toMatchObject([{ stage: 'killed' }]);
    await untilNoThread(system);
  });

  it('does not keep close() from its end (V6)', async () => {
    const logs: SystemLog[] = [];
    const { clock, system, free } = await wedge({ onLog: (entry) => logs.push(entry) });
    const closing = system.close();

    for (let second = 0; second < 30; second += 1) await clock.advance(1_000);
    await within(closing, 'the system to close');

    expect(system.threads).toBe(1);
    expect(logs).toMatchObject([{ level: 'error', failure: { code: 'unresponsive' } }]);
    free();
    await untilNoThread(system);
  });
});
