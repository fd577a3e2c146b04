// Checks slots and their pool: who shares a thread with whom, what a thread may see, how many there are, when they go.
import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { ActorRef, ActorSystem, ThreadSpawnOptions } from '#src/actor.js';
import { ManualClock } from '#src/base/clock.js';
import { census } from '../leaks.ts';
import {
  closeSystem,
  fixture,
  patienceMs,
  spawnProbe,
  testSystem,
  within,
} from '../support/systems.ts';

type Guest = { threadId: number; guests: number; priority: number; env: string | null };

const timeoutMs = patienceMs;
const guest = fixture('slot-guest');
const threadsAlive = (): number => census().get('thread') ?? 0;

async function visit(ref: ActorRef, message: object = {}): Promise<Guest> {
  return (await within(ref.ask(message, { timeoutMs }), 'a guest')) as Guest;
}

/** One life from start to end; resolves with what it saw. */
async function stay(
  system: ActorSystem,
  message: object = {},
  options: ThreadSpawnOptions & { readonly module?: URL } = {},
): Promise<Guest> {
  const ref = await system.spawn(options.module ?? guest, options);
  const seen = await visit(ref, message);
  await within(ref.stop(), 'the end of a guest');
  return seen;
}

/** Threads come and go in their own time; what is awaited is their number. */
async function untilThreads(system: ActorSystem, count: number): Promise<void> {
  await within(
    (async () => {
      while (system.threads !== count || threadsAlive() !== count) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
    `${count} threads, there are ${system.threads}`,
  );
}

describe('a warm thread', () => {
  it('serves the next activation of the same modules', async () => {
    const { system } = testSystem();

    const [first, second] = [await stay(system), await stay(system)];

    expect(second).toMatchObject({ threadId: first.threadId, guests: 2 });
    expect(threadsAlive()).toBe(1);
  });

  it('serves no activation of other modules', async () => {
    const { system } = testSystem();

    const first = await stay(system);
    const other = await stay(system, {}, { module: fixture('other-guest') });

    expect(other.threadId).not.toBe(first.threadId);
    expect(other.guests).toBe(1);
  });

  it('serves no activation of another profile', async () => {
    const { system } = testSystem();

    const first = await stay(system);
    const other = await stay(system, {}, { profile: { maxHeapMb: 64 } });

    expect(other.threadId).not.toBe(first.threadId);
  });

  it('is retired when an activation leaves something behind', async () => {
    const { system } = testSystem();
    const unreferenced = 'timer interval sleep beat wait immediates worker child'.split(' ');
    const others = ['immediates', 'promised immediates', 'imported immediates', 'worker'];
    const traces = unreferenced.map((each) => `unreferenced ${each}`);
    for (const leave of ['timer', 'listener', ...others, ...traces]) {
      const first = await stay(system, { leave });
      const second = await stay(system);

      expect(second, leave).toMatchObject({ guests: 1 });
      expect(second.threadId, leave).not.toBe(first.threadId);
    }
  });

  it('serves the next activation after one that left nothing of its own', async () => {
    const { system } = testSystem();
    const { threadId, ...first } = await stay(system);
    let { guests } = first;
    for (const leave of [
      'ended timer',
      'an ended immediate',
      'ended worker',
      'time limit',
      'request',
    ]) {
      await stay(system, { leave });
      const next = await stay(system);

      guests += 2;
      expect(next, leave).toMatchObject({ threadId, guests });
    }
    expect(threadsAlive()).toBe(1);
  });

  it('makes way for other modules when there may be no more threads', async () => {
    const { system } = testSystem({ threads: { max: 1 } });

    const first = await stay(system);
    const other = await stay(system, {}, { module: fixture('other-guest') });

    expect(other.threadId).not.toBe(first.threadId);
    expect(threadsAlive()).toBe(1);
  });

  it('makes way once for each activation that waits, and the others stay warm', async () => {
    const { system } = testSystem({ threads: { max: 3 } });
    await within(system.prewarm(3), 'three threads');
    await Promise.all([stay(system), stay(system), stay(system)]);

    await Promise.all([1, 2].map(() => stay(system, {}, { module: fixture('other-guest') })));

    expect(await stay(system)).toMatchObject({ guests: 2 });
  });

  it.each([[['--no-such-option']], [['--require', '/no/such/module.js']]])(
    'is not refused to an activation because one of another profile cannot have its thread (%j)',
    async (execArgv) => {
      const { system } = testSystem({ threads: { max: 2 } });

      const [wrong, right] = await Promise.allSettled([
        stay(system, {}, { profile: { execArgv } }),
        stay(system),
      ]);

      expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'spawn_failed' } });
      expect(right).toMatchObject({ status: 'fulfilled', value: { guests: 1 } });
    },
  );

  it('is not opened ahead of need once its system is closed (V6)', async () => {
    const { system } = testSystem();
    await within(system.close(), 'the system to close');

    await within(system.prewarm(2), 'nothing to be opened');

    expect(system.threads).toBe(0);
  });

  it('is opened ahead of need', async () => {
    const { system } = testSystem();

    await within(system.prewarm(2), 'two threads');

    expect(threadsAlive()).toBe(2);
    await Promise.all([stay(system), stay(system)]);
    expect(threadsAlive()).toBe(2);
  });
});

describe('single use', () => {
  it('gives every activation a fresh thread', async () => {
    const { system } = testSystem({ threads: { reuse: 'single-use' } });

    const survivesCrash = [await stay(system), await stay(system), await stay(system)];

    expect(survivesCrash.map(({ guests }) => guests)).toEqual([1, 1, 1]);
    expect(new Set(survivesCrash.map(({ threadId }) => threadId)).size).toBe(3);
  });
});

describe('what a thread may see', () => {
  const name = 'TROUPE_TEST_SECRET';
  afterEach(() => {
    delete process.env[name];
  });

  it('leaves out what the environment of the host holds, unless the profile names it', async () => {
    process.env[name] = 'hush';
    const { system } = testSystem();

    expect((await stay(system, { env: name })).env).toBeUndefined();
    expect((await stay(system, { env: 'PATH' })).env).toBe(process.env['PATH']);
    expect((await stay(system, { env: name }, { profile: { env: [name] } })).env).toBe('hush');
  });

  it('gives the children of an actor its own profile', async () => {
    process.env[name] = 'hush';
    const { system } = testSystem();
    const profile = { env: [name] };
    const parent = await system.spawn(fixture('obedient'), { profile });

    const spawn = { do: 'spawn', module: String(guest) };
    const address = (await parent.ask(spawn, { timeoutMs })) as ActorRef['address'];

    expect((await visit(system.refOf(address), { env: name })).env).toBe('hush');
  });

  it.runIf(process.platform === 'linux')('lowers its priority below that of the host', async () => {
    const { system } = testSystem();
    const own = getPriority();

    expect((await stay(system)).priority).toBe(Math.min(own + 10, 19));
    expect((await stay(system, {}, { profile: { niceness: 3 } })).priority).toBe(own + 3);
    expect((await stay(system, {}, { profile: { niceness: 0 } })).priority).toBe(own);
    expect(getPriority()).toBe(own);
  });
});

describe('how many there are', () => {
  it('lets spawns wait for one of max threads, first come first served (V7)', async () => {
    const { system } = testSystem({ threads: { max: 2 } });
    const [one, two] = [await system.spawn(guest), await system.spawn(guest)];
    const order: string[] = [];
    const [first, second] = ['first', 'second'].map(async (name) => {
      const ref = await system.spawn(guest, { name });
      order.push(ref.path);
    });
    expect(threadsAlive()).toBe(2);

    await within(one.stop(), 'a free thread');
    await within(Promise.resolve(first), 'the first that waited');
    expect(order).toEqual(['/first']);
    await within(two.stop(), 'a free thread');
    await within(Promise.resolve(second), 'the second that waited');

    expect(order).toEqual(['/first', '/second']);
    expect(threadsAlive()).toBe(2);
  });

  it('gives up idle threads when their time is over, down to min', async () => {
    const clock = new ManualClock();
    const { system } = testSystem({ clock, threads: { idleMs: 1_000, min: 1 } });
    // All at once, each on a thread of its own: one that is still coming up would be idle for less long.
    const guests = await Promise.all([1, 2, 3].map(() => system.spawn(guest)));
    await Promise.all(guests.map((ref) => within(ref.stop(), 'the end of a guest')));
    await untilThreads(system, 3);

    await clock.advance(999);
    expect(system.threads).toBe(3);
    await clock.advance(1);

    await untilThreads(system, 1);
  });

  it('never lends a thread again that it gave up', async () => {
    const clock = new ManualClock();
    const { system } = testSystem({ clock, threads: { idleMs: 1_000, max: 1 } });
    const first = await stay(system);

    await clock.advance(1_000);
    const other = await stay(system, {}, { module: fixture('other-guest') });

    expect(other.guests).toBe(1);
    expect(other.threadId).not.toBe(first.threadId);
  });

  it('is refused to nobody because another one exits while it comes up (V1)', async () => {
    const { system } = testSystem({ threads: { max: 2 } });
    const args = { watcher: spawnProbe(system).ref.address };
    const faulty = await within(system.spawn(fixture('faults'), { args }), 'a faulty actor');

    faulty.tell({ fault: 'exit' });

    expect(await stay(system)).toMatchObject({ guests: 1 });
  });

  it('replaces a thread that was lost while idle, and the next activation never knows (V1)', async () => {
    const { system } = testSystem();
    const doomed = await stay(system, {}, { module: fixture('late-exit') });
    await untilThreads(system, 0);

    const next = await stay(system, {}, { module: fixture('late-exit') });

    expect(next.threadId).not.toBe(doomed.threadId);
  });
});

describe('two systems', () => {
  it('share nothing, and one outlives the other (V6)', async () => {
    const [{ system: one }, { system: two }] = [testSystem(), testSystem()];
    const [mine, yours] = [await one.spawn(guest), await two.spawn(guest)];

    await closeSystem(one);

    expect((await visit(yours)).guests).toBe(1);
    expect(one.find(mine.id)).toBeNull();
    expect(two.threads).toBe(1);
  });
});
