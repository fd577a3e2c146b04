// Checks every way a thread can fail, at every point of an activation: how it ends, and what survives.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ActorRef, ActorSystem, ThreadSpawnOptions } from '#src/actor.js';
import { behavior, next } from '#src/actor.js';
import {
  closeSystem,
  exitOf,
  fixture,
  ownSystem,
  patienceMs,
  rejection,
  spawnProbe,
  type testSystem,
  within,
} from '../support/systems.ts';
import { until } from '../support/until.ts';

type Ending = { readonly reason: string; readonly failure?: object };

const boom = { code: 'crashed', message: 'boom' };

/** Each fault, and how the activation ends by it; those that never end by themselves are killed. */
const completion: Readonly<Record<string, Ending>> = {
  throw: { reason: 'crashed', failure: boom },
  rejection: { reason: 'crashed', failure: boom },
  timer: { reason: 'crashed', failure: boom },
  exit: { reason: 'crashed', failure: { code: 'thread_exited', detail: { code: 3 } } },
  memory: { reason: 'out_of_memory', failure: { code: 'out_of_memory' } },
  spin: { reason: 'killed' },
  block: { reason: 'killed' },
  flood: { reason: 'killed' },
  port: { reason: 'crashed', failure: { code: 'thread_exited' } },
  hostile: { reason: 'crashed', failure: { code: 'protocol_violation' } },
};
const profiles = {
  thread: { maxHeapMb: 16 },
  process: { isolation: 'process', maxHeapMb: 16 },
} as const;
const table = (['thread', 'process'] as const).flatMap((isolation) =>
  Object.entries(completion).map(([fault, ending]) => ({ isolation, fault, ...ending })),
);
const isKilled = (ending: Ending): boolean => ending.reason === 'killed';

const timeoutMs = patienceMs;
const quickly = { minMs: 1, maxMs: 1, jitter: 0 };

/** Counts the notices that reach a watching actor. */
function watchman(system: ActorSystem) {
  const seen: unknown[] = [];
  const watching = behavior<null, { actor?: ActorRef['address']; type?: string; reason?: string }>({
    start: () => null,
    receive: (state, message, self) => {
      if (message.type === 'terminated') seen.push(message.reason);
      else if (message.actor !== undefined) self.watch(message.actor);
      self.reply(seen.length);
      return next(state);
    },
  });
  const ref = system.spawnInline(watching);
  return {
    seen,
    watch: (actor: ActorRef) => ref.ask({ actor: actor.address }, { timeoutMs }),
    /** Whatever was on its way is there once this was answered. */
    untilIdle: () => ref.ask({}, { timeoutMs }),
  };
}

/** One system and one sibling for every fault: that each leaves them alone is what is checked. */
let shared: ReturnType<typeof testSystem>;
let sibling: ActorRef;
/** How often the sibling was: it counts on as long as it lives. */
let asked = 0;

beforeAll(async () => {
  // Each fault takes its time to come about: no grace may be over before it.
  const graces = { interruptGraceMs: patienceMs, stopGraceMs: patienceMs };
  // No thread outlives its actor: what lives on would be a leak of the test.
  shared = ownSystem({ graces, threads: { idleMs: 0 } });
  sibling = await shared.system.spawn(fixture('echo'));
});

// An actor ends before its thread does: the next test finds the thread of the sibling alone.
afterEach(async () => {
  await until(() => (shared.system.threads <= 1 ? true : null), 'the end of the other threads');
});

afterAll(() => closeSystem(shared.system));

async function arrange(
  isolation: 'thread' | 'process',
  options: { readonly args?: object } & Partial<ThreadSpawnOptions> = {},
) {
  const { system, letters } = shared;
  letters.length = 0;
  const { ref: watcher, next: nextMessage } = spawnProbe(system);
  const args = { watcher: watcher.address, ...options.args };
  const spawn = () =>
    system.spawn(fixture('faults'), {
      profile: profiles[isolation],
      name: 'victim',
      ...options,
      args,
    });
  return { system, reasons: shared.reasons, nextMessage, spawn };
}

async function expectUntouched(): Promise<void> {
  const answer = await within(sibling.ask('still', { timeoutMs }), 'the sibling');
  expect(answer).toEqual({ echo: 'still', count: asked });
  asked += 1;
}

describe.each(table)('a $isolation that fails by $fault', ({ isolation, fault, ...ending }) => {
  it('in start fails the spawn, and nothing else (V1, V4)', async () => {
    const { system, nextMessage, spawn } = await arrange(isolation, { args: { inStart: fault } });

    const spawned = rejection(spawn());
    await nextMessage();
    if (isKilled(ending))
      await within(system.find('/victim')?.kill() ?? Promise.reject(), 'the kill');

    expect(await spawned).toMatchObject(
      isKilled(ending) || fault === 'throw' ? { code: 'spawn_failed' } : (ending.failure ?? {}),
    );
    expect(system.find('/victim')).toBeNull();
    await expectUntouched();
  });

  it('in a receive ends the activation: asks settle, one notice, the mail is dead (V1, M4, M7)', async () => {
    const { system, reasons, nextMessage, spawn } = await arrange(isolation);
    const watchers = watchman(system);
    const victim = await spawn();
    await watchers.watch(victim);
    const exit = exitOf(victim);
    const [inHand, queued] = [victim.ask({ fault }, { timeoutMs }), victim.ask({}, { timeoutMs })];
    const [whyInHand, whyQueued] = [rejection(inHand), rejection(queued)];
    await nextMessage();

    if (isKilled(ending)) await within(victim.kill(), 'the kill');

    expect(await exit).toMatchObject(ending);
    expect(await whyInHand).toMatchObject(
      isKilled(ending) ? { code: 'killed' } : (ending.failure ?? {}),
    );
    expect((await whyQueued).code).toBe('actor_terminated');
    expect(reasons()).toEqual({ in_doubt: 1, stopped: 1 });
    await watchers.untilIdle();
    expect(watchers.seen).toEqual([ending.reason]);
    await expectUntouched();
  });

  it('between receives ends the activation, with nothing in doubt (V1)', async () => {
    const { reasons, nextMessage, spawn } = await arrange(isolation);
    const victim = await spawn();
    const exit = exitOf(victim);
    await victim.ask({ between: fault }, { timeoutMs });
    await nextMessage();

    if (isKilled(ending)) await within(victim.kill(), 'the kill');

    expect(await exit).toMatchObject(ending);
    expect(reasons()).toEqual({});
    await expectUntouched();
  });

  it('in its cleanup still ends it, once (V5, V6)', async () => {
    const { system, nextMessage, spawn } = await arrange(isolation, { args: { inStop: fault } });
    const watchers = watchman(system);
    const victim = await spawn();
    await watchers.watch(victim);
    const exit = exitOf(victim);

    const stopped = victim.stop();
    await nextMessage();
    if (isKilled(ending)) await within(victim.kill(), 'the kill');
    await within(stopped, 'the stop');

    expect(await exit).toMatchObject({ reason: ending.reason });
    await watchers.untilIdle();
    expect(watchers.seen).toEqual([ending.reason]);
    await expectUntouched();
  });
});

describe.each(table.filter((row) => !isKilled(row)))(
  'a restart of a $isolation after $fault',
  ({ isolation, fault }) => {
    it('goes on with the mail: what is done counts, what was started is in doubt (V2, V3, M4)', async () => {
      const { reasons, nextMessage, spawn, system } = await arrange(isolation, {
        restart: 'permanent',
        backoff: quickly,
      });
      const watchers = watchman(system);
      const victim = await spawn();
      await watchers.watch(victim);
      victim.tell({ keep: 'done' });
      const inHand = rejection(victim.ask({ fault }, { timeoutMs }));
      for (const keep of ['b', 'c', 'd']) victim.tell({ keep });
      const report = victim.ask({}, { timeoutMs });
      await nextMessage();

      expect(await within(report, 'the next life')).toEqual({
        kept: ['b', 'c', 'd'],
        incarnation: 2,
      });
      await inHand;
      expect(reasons()).toEqual({ in_doubt: 1 });
      await watchers.untilIdle();
      expect(watchers.seen).toEqual([]);
      await within(victim.stop(), 'the stop');
      await watchers.untilIdle();
      expect(watchers.seen).toEqual(['stopped']);
      await expectUntouched();
    });
  },
);
