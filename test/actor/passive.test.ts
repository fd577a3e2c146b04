// Checks passive actors in the test's own loop, on a clock that stands still: what keeps one live, what wakes it.
import { describe, expect, it } from 'vitest';
import { type Behavior, behavior, next } from '#src/actor/behavior.js';
import type { ActorRef } from '#src/actor/ref.js';
import type { Failure } from '#src/base/failures.js';
import { gate, spawnProbe, type TestKernel, testKernel } from '../support/kernel.ts';

const passivate = { afterIdleMs: 1_000 };
const soon = { timeoutMs: 60_000 };

type Order =
  | 'add'
  | 'total'
  | 'incarnation'
  | 'stash'
  | 'unstash'
  | 'take'
  | 'give'
  | 'spoil'
  | { readonly later: number }
  | { readonly asks: ActorRef['address'] }
  | { readonly type: 'terminated' };

/** Counts; what it holds beside its state is lost when it is passive. */
function counter(starts: string[]): Behavior<{ total: number; odd?: unknown }, Order> {
  let pendingReply: (value: unknown) => void = () => {};
  return behavior<{ total: number; odd?: unknown }, Order>({
    start: () => {
      starts.push('started');
      return { total: 0 };
    },
    receive(state, order, self) {
      if (typeof order === 'object') {
        if ('later' in order) self.after(order.later, 'add');
        else if ('asks' in order) void self.ask(order.asks, 'x', soon).catch(() => null);
        else return next({ total: state.total + 100 });
        return next(state);
      }
      switch (order) {
        case 'add':
          return next({ ...state, total: state.total + 1 });
        case 'total':
          self.reply(state.total);
          break;
        case 'incarnation':
          self.reply(self.incarnation);
          break;
        case 'stash':
          self.stash();
          break;
        case 'unstash':
          self.unstashAll();
          break;
        case 'take':
          pendingReply = self.takeReply();
          break;
        case 'give':
          pendingReply('given');
          break;
        case 'spoil':
          return next({ ...state, odd: state.odd === undefined ? () => 1 : undefined });
      }
      return next(state);
    },
    stopped: () => {
      starts.push('stopped');
    },
  });
}

function spawned(on: TestKernel) {
  const starts: string[] = [];
  const ref = on.kernel.spawnInline<Order>(counter(starts), { passivate });
  const cell = on.kernel.router.registry.get(ref.address.id);
  return { ref, starts, status: () => cell?.state.status };
}

describe('a passive actor', () => {
  it('keeps its state, its incarnation and its refs, and starts once (P1, P2, P3)', async () => {
    const on = testKernel();
    const { ref, starts, status } = spawned(on);
    ref.tell('add');
    await on.clock.advance(1_000);
    expect(status()).toBe('passivated');

    ref.tell('add');
    const answers = Promise.all([ref.ask('total', soon), ref.ask('incarnation', soon)]);
    await on.untilIdle();

    expect(await answers).toEqual([2, 1]);
    expect(starts).toEqual(['started']);
    expect(status()).toBe('running');
  });

  it('is live as long as messages come, and passive a period after the last (P1)', async () => {
    const on = testKernel();
    const { ref, status } = spawned(on);
    for (let sent = 0; sent < 3; sent += 1) {
      ref.tell('add');
      await on.clock.advance(999);
      expect(status()).toBe('running');
    }
    await on.clock.advance(1_000);

    expect(status()).toBe('passivated');
  });

  it('is live while a message is stashed, a reply is owed, an answer is awaited or a child lives (P1)', async () => {
    const on = testKernel();
    const { ref, status } = spawned(on);
    const idleForLong = async (): Promise<unknown> => {
      await on.clock.advance(5_000);
      return status();
    };
    ref.tell('stash');
    expect(await idleForLong()).toBe('running');
    const pendingReply = ref.ask('take', soon);
    expect(await idleForLong()).toBe('running');
    ref.tell('give');
    expect(await pendingReply).toBe('given');
    const hanging = gate();
    const other = on.kernel.spawnInline({
      ...counter([]),
      receive: () => hanging.passed.then(() => next(null)),
    });
    ref.tell({ asks: other.address });
    expect(await idleForLong()).toBe('running');
    hanging.open();
    await on.untilIdle();
    const child = on.kernel.spawnInline(counter([]), { parent: ref });
    expect(await idleForLong()).toBe('running');
    void child.stop();
    ref.tell('unstash');
    await on.untilIdle();
    ref.tell('add');

    // What was set aside is handed over again, and set aside again: only its end frees the actor.
    expect(await idleForLong()).toBe('running');
  });

  it('stays live when its state is no plain data, says so once, and is passive when it can be (P1)', async () => {
    const failures: Failure[] = [];
    const on = testKernel({
      observer: { stayedLive: (_cell, failure) => failure !== null && failures.push(failure) },
    });
    const { ref, status } = spawned(on);
    ref.tell('spoil');
    await on.clock.advance(10_000);
    expect(status()).toBe('running');
    expect(failures.map(({ code }) => code)).toEqual(['snapshot_failed']);

    ref.tell('spoil');
    await on.clock.advance(1_000);
    expect(status()).toBe('passivated');
  });

  it('is stopped, killed, paused and interrupted without an activation (P2)', async () => {
    const on = testKernel();
    const stopped = spawned(on);
    const killed = spawned(on);
    const paused = spawned(on);
    const { probe, ref: watcher } = spawnProbe(on);
    on.kernel.router.watch(watcher.address, stopped.ref.address);
    for (const { ref } of [stopped, killed]) ref.tell('add');
    await on.clock.advance(1_000);

    paused.ref.pause();
    paused.ref.tell('add');
    await on.untilIdle();
    expect(paused.status()).toBe('passivated');
    expect(await stopped.ref.interrupt()).toMatchObject([{ partial: null }]);
    expect(await stopped.ref.stop()).toMatchObject([{ stage: 'stopped' }]);
    expect(await killed.ref.kill()).toMatchObject([{ stage: 'killed' }]);
    paused.ref.resume();

    expect(await paused.ref.ask('total', soon)).toBe(1);
    expect(await probe.expectMessage(1)).toMatchObject({ type: 'terminated', reason: 'stopped' });
    expect(stopped.starts).toEqual(['started']);
    expect([stopped.status(), killed.status()]).toEqual(['stopped', 'stopped']);
  });

  it('is no end: its watchers hear nothing; its timers and what it watches wake it (P3)', async () => {
    const on = testKernel();
    const { ref, status } = spawned(on);
    const { probe, ref: watcher } = spawnProbe(on);
    const other = on.kernel.spawnInline(counter([]));
    on.kernel.router.watch(watcher.address, ref.address);
    on.kernel.router.watch(ref.address, other.address);
    ref.tell({ later: 3_000 });
    await on.clock.advance(2_000);
    expect(status()).toBe('passivated');

    await on.clock.advance(1_000);
    expect(status()).toBe('running');
    await on.clock.advance(1_000);
    expect(status()).toBe('passivated');
    await other.stop();
    watcher.tell('sentinel');

    expect(await ref.ask('total', soon)).toBe(101);
    expect(await probe.expectMessage(1)).toBe('sentinel');
  });
});
