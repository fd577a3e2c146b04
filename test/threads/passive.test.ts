// Checks passive actors on real threads: the thread is given back, the state comes again, and what goes wrong on the way.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ActorRef, SystemLog } from '#src/actor.js';
import { fixture, patienceMs, rejection, testSystem, within } from '../support/systems.ts';

const soon = { timeoutMs: patienceMs };
const passivate = { afterIdleMs: 20 };
const keeper = fixture('keeper');

type State = {
  readonly total: number;
  readonly beginnings: number;
  readonly ofCommit: number | null;
  readonly threadId: number;
  readonly incarnation: number;
};

const stateOf = (ref: ActorRef): Promise<State> => ref.ask('state', soon) as Promise<State>;

/** Resolves when another actor has the one thread there is: its holder gave it up. */
async function othersTurn(system: ReturnType<typeof testSystem>['system']): Promise<void> {
  const other = await within(system.spawn(keeper), 'the thread to be given up');
  await other.stop();
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('a passive actor on a thread', () => {
  it('gives its thread to another and continues on it with its state (P1, P2, P3)', async () => {
    const { system, letters } = testSystem({ threads: { max: 1 } });
    const ref = await system.spawn(keeper, { passivate });
    for (let sent = 0; sent < 5; sent += 1) ref.tell('add');

    await othersTurn(system);
    ref.tell('add');
    const state = await stateOf(ref);

    expect(state).toMatchObject({ total: 6, beginnings: 1, incarnation: 1 });
    expect(letters).toEqual([]);
  });

  it('activates once for all that came meanwhile, in their order (P2)', async () => {
    const { system } = testSystem({ threads: { max: 1 } });
    const ref = await system.spawn(keeper, { passivate });
    await othersTurn(system);
    const user = await system.spawn(keeper);
    const asks = [1, 2, 3].map(() => {
      ref.tell('add');
      return stateOf(ref);
    });
    await user.stop();

    const states = await within(Promise.all(asks), 'the answers');

    expect(states.map(({ total }) => total)).toEqual([1, 2, 3]);
    expect(new Set(states.map(({ threadId }) => threadId)).size).toBe(1);
  });

  it('buffers what races its snapshot, and has it afterwards (P1)', async () => {
    const { system } = testSystem({ threads: { max: 1 } });
    const ref = await system.spawn(keeper, { passivate: { afterIdleMs: 1 } });
    for (let sent = 0; sent < 300; sent += 1) {
      ref.tell('add');
      // Of all the moments between two messages some lie in the middle of a snapshot.
      if (sent % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (sent % 7 === 0) await stateOf(ref);
    }

    expect(await stateOf(ref)).toMatchObject({ total: 300, beginnings: 1, incarnation: 1 });
  });

  it('keeps a thread that holds more than a state, and says what (P1)', async () => {
    const log: SystemLog[] = [];
    let onMessage = (): void => {};
    const reported = new Promise<void>((resolve) => {
      onMessage = resolve;
    });
    const { system } = testSystem({
      onLog: (entry) => {
        log.push(entry);
        onMessage();
      },
    });
    const ref = await system.spawn(keeper, { passivate });
    const before = await stateOf(ref);
    ref.tell('open');

    await within(reported, 'the report');

    expect(log).toMatchObject([{ level: 'warn', failure: { code: 'snapshot_failed' } }]);
    expect(log[0]?.failure.message).toContain('Timeout');
    expect(await stateOf(ref)).toEqual(before);
  });

  it('is killed while its snapshot is awaited: what was buffered is a dead letter (P1, S6)', async () => {
    const { system, reasons } = testSystem();
    const ref = await system.spawn(keeper, { passivate: { afterIdleMs: 1 } });
    ref.tell('block');
    await stopsAnswering(ref);
    ref.tell('add');
    const asked = rejection(stateOf(ref));

    await within(ref.kill(), 'the receipts');

    expect((await asked).code).toBe('actor_terminated');
    expect(reasons()['stopped']).toBeGreaterThanOrEqual(2);
  });

  it('dies while its snapshot is awaited: it restarts from its commit, its mail kept (V3, P1)', async () => {
    const { system } = testSystem();
    const ref = await system.spawn(keeper, {
      passivate: { afterIdleMs: 1 },
      restart: 'permanent',
      backoff: { minMs: 1, maxMs: 1, jitter: 0 },
    });
    for (const message of ['add', 'add', 'commit']) ref.tell(message);
    expect(await ref.ask('exit', soon)).toMatchObject({ total: 2, incarnation: 1 });
    ref.tell('add');

    expect(await stateOf(ref)).toMatchObject({ total: 1, ofCommit: 2, incarnation: 2 });
  });

  it('dead-letters activation_failed, keeps its state, and tries again with the next message (P2)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-passive-'));
    folders.push(folder);
    const file = join(folder, 'keeper.mjs');
    const module = pathToFileURL(file);
    const good = `export { default } from ${JSON.stringify(keeper.href)};\n`;
    writeFileSync(file, good);
    const log: SystemLog[] = [];
    const { system, reasons } = testSystem({
      threads: { max: 1, reuse: 'single-use' },
      onLog: (entry) => log.push(entry),
    });
    const ref = await system.spawn(module, { passivate });
    ref.tell('add');
    await othersTurn(system);
    writeFileSync(file, 'throw new Error("gone");\n');

    const failed = await rejection(stateOf(ref));
    writeFileSync(file, good);

    expect(failed.code).toBe('activation_failed');
    expect(reasons()).toEqual({ activation_failed: 1 });
    expect(log).toMatchObject([{ level: 'error', failure: { code: 'module_failed' } }]);
    expect(await stateOf(ref)).toMatchObject({ total: 1, beginnings: 1, incarnation: 1 });
  });

  it('is killed while it waits for a thread to be activated on (S6, P2)', async () => {
    const { system, reasons } = testSystem({ threads: { max: 1 } });
    const ref = await system.spawn(keeper, { passivate });
    await othersTurn(system);
    await system.spawn(keeper);
    const asked = rejection(stateOf(ref));

    await within(ref.kill(), 'the receipts');

    expect((await asked).code).toBe('actor_terminated');
    expect(reasons()).toEqual({ stopped: 1 });
  });

  it('is refused where nothing could be kept', async () => {
    const { system } = testSystem();
    const object = system.spawnObject(fixture('abacus'), { passivate });
    const never = system.spawn(keeper, { passivate: { afterIdleMs: 0 } });

    expect((await rejection(object)).message).toContain('plain data');
    expect((await rejection(never)).message).toContain('afterIdleMs');
  });
});

/** Resolves when the actor's thread is blocked: an ask with a short deadline comes back unanswered. */
async function stopsAnswering(ref: ActorRef): Promise<void> {
  for (;;) {
    const answer = await ref.ask('state', { timeoutMs: 50 }).then(
      () => true,
      () => false,
    );
    if (!answer) return;
  }
}
