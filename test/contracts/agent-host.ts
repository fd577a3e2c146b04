// The promises that every host of actors keeps; run by the inline host and by the thread host.
import { describe, expect, it } from 'vitest';
import type { ActorRef } from '#src/actor/ref.js';
import { TestProbe } from '#src/actor/test-probe.js';
import { systemClock } from '#src/base/clock.js';
import { type HostKind, hostRig, type Rig } from '../support/host-rig.ts';
import { exitOf, fixture, patienceMs, rejection, within } from '../support/systems.ts';

const timeoutMs = patienceMs;

const report = (ref: ActorRef): Promise<unknown> =>
  within(ref.ask({ do: 'report' }, { timeoutMs }), `${ref.path} to report`);

function probeOf(rig: Rig) {
  const probe = new TestProbe(systemClock);
  const { address } = rig.kernel.spawnInline(probe.behavior);
  return { address, next: () => probe.expectMessage(patienceMs) };
}

/** What `ActorHost` and the `Self` of its activations promise, whatever they run on. */
export function agentHostContract(kind: HostKind): void {
  describe(`a life on the ${kind} host`, () => {
    it('starts with its arguments, and not before it has started (V1)', async () => {
      const rig = hostRig(kind);
      const watcher = probeOf(rig);

      const ref = await rig.spawn('obedient', { args: { kept: [1], tell: watcher.address } });

      expect(await watcher.next()).toBe('started 1');
      expect(await report(ref)).toEqual([1]);
    });

    it('rejects a failed start with what it threw (V4)', async () => {
      const rig = hostRig(kind);

      const error = await rejection(rig.spawn('obedient', { args: { fail: true } }));

      expect(error).toMatchObject({ code: 'spawn_failed', message: 'no start' });
      expect(rig.kernel.tree.size).toBe(0);
    });

    it('receives what one sender tells in its order (M3)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      for (let value = 0; value < 300; value += 1) ref.tell({ do: 'keep', value });

      expect(await report(ref)).toEqual(Array.from({ length: 300 }, (_, value) => value));
    });

    it('delivers the first reply of a receive, and no other (M7)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      expect(await ref.ask({ do: 'reply', values: [{ a: 1 }, 2] }, { timeoutMs })).toEqual({
        a: 1,
      });
      expect(rig.kernel.router.asks.lateReplies).toBe(0);
    });

    it('rejects a refused ask with its failure, and goes on (M7)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      const error = await rejection(ref.ask({ do: 'refuse' }, { timeoutMs }));

      expect(error).toMatchObject({ code: 'model_auth', message: 'not today' });
      expect(await report(ref)).toEqual([]);
    });

    it('says no_reply when a receive ends without a word (M7)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      const error = await rejection(ref.ask({ do: 'ignore' }, { timeoutMs }));

      expect(error.code).toBe('no_reply');
    });

    it('keeps a reply that was taken for a later receive, and uses it once (M7)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      const answer = ref.ask({ do: 'later' }, { timeoutMs });
      ref.tell({ do: 'answer', value: 'now' });
      ref.tell({ do: 'answer', value: 'again' });

      expect(await within(answer, 'the late reply')).toBe('now');
      await rejection(ref.ask({ do: 'ignore' }, { timeoutMs }));
      expect(rig.kernel.router.asks.lateReplies).toBe(0);
    });

    it('ends crashed when a receive throws, and the asker learns why (V1, M7)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');
      const exit = exitOf(ref);

      const error = await rejection(ref.ask({ do: 'throw' }, { timeoutMs }));

      expect(error).toMatchObject({ code: 'crashed', message: 'boom' });
      expect(await exit).toMatchObject({ reason: 'crashed', failure: { message: 'boom' } });
    });

    it('receives stashed messages again ahead of what came later (M9)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      for (const value of ['a', 'b']) ref.tell({ do: 'keepWhenOpen', value });
      ref.tell({ do: 'open' });
      for (const value of ['c', 'd']) ref.tell({ do: 'keepWhenOpen', value });

      expect(await report(ref)).toEqual(['open', 'a', 'b', 'c', 'd']);
      expect(rig.kernel.ledger()).toMatchObject({ accepted: 6, processed: 6 });
    });

    it('dead-letters what is still stashed at the end, and its asker learns it (M9)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');
      const asked = ref.ask({ do: 'keepWhenOpen', value: 1 }, { timeoutMs });
      await report(ref);

      await within(ref.stop(), 'the stop');

      expect((await rejection(asked)).code).toBe('actor_terminated');
      expect(rig.kernel.deadLetters()).toMatchObject([{ reason: 'stopped' }]);
    });

    it('ends the receive on interrupt, and keeps the actor and its mail (S5)', async () => {
      const rig = hostRig(kind);
      const watcher = probeOf(rig);
      const ref = await rig.spawn('obedient');
      ref.tell({ do: 'wait', to: watcher.address });
      await watcher.next();
      ref.tell({ do: 'keep', value: 'after' });

      const receipts = await within(ref.interrupt(), 'the interrupt');

      expect(receipts).toMatchObject([{ agentId: ref.id, stage: 'interrupted' }]);
      expect(await report(ref)).toEqual(['after']);
      expect(rig.kernel.ledger().deadLettered).toBe(0);
    });

    it('shows an interrupt by its signal and by interrupted() (S2)', async () => {
      const rig = hostRig(kind);
      const watcher = probeOf(rig);
      const ref = await rig.spawn('obedient');
      ref.tell({ do: 'waitAndKeep', to: watcher.address });
      await watcher.next();

      await within(ref.interrupt(), 'the interrupt');

      expect(await report(ref)).toEqual(['interrupted', true]);
    });

    it('stops in good order: the receive is ended, cleaned up after, the mail is dead (S5, V6)', async () => {
      const rig = hostRig(kind);
      const watcher = probeOf(rig);
      const ref = await rig.spawn('obedient');
      const exit = exitOf(ref);
      ref.tell({ do: 'wait', to: watcher.address });
      await watcher.next();
      ref.tell({ do: 'keep', value: 'never' });

      await within(ref.stop(), 'the stop');

      expect((await exit).reason).toBe('stopped');
      expect(rig.published).toEqual([{ path: ref.path, event: 'cleaned up' }]);
      expect(rig.kernel.deadLetters()).toMatchObject([{ reason: 'stopped', to: ref.address }]);
      expect(await ref.offer({ do: 'ignore' }, { timeoutMs })).toBe('dead');
    });

    it('ends normal when its receive says stop, cleaned up (V4)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');
      const exit = exitOf(ref);

      ref.tell({ do: 'stop' });

      expect((await exit).reason).toBe('normal');
      expect(rig.published).toEqual([{ path: ref.path, event: 'cleaned up' }]);
    });

    it('runs no code of its own when it is killed (S6)', async () => {
      const rig = hostRig(kind);
      const watcher = probeOf(rig);
      const ref = await rig.spawn('obedient');
      ref.tell({ do: 'wait', to: watcher.address });
      await watcher.next();
      const exit = exitOf(ref);

      const receipts = await within(ref.kill(), 'the kill');

      expect(receipts).toMatchObject([{ stage: 'killed' }]);
      expect((await exit).reason).toBe('killed');
      expect(rig.published).toEqual([]);
    });

    it('runs its timers on the clock of the supervisor, unless they are cancelled (V8)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');
      ref.tell({ do: 'after', delayMs: 2_000, value: 'second' });
      ref.tell({ do: 'after', delayMs: 1_000, value: 'first' });
      ref.tell({ do: 'afterAll', delayMs: 1_500, value: 'cancelled' });
      await report(ref);

      await rig.clock.advance(999);
      expect(await report(ref)).toEqual([]);
      await rig.clock.advance(1_001);

      expect(await report(ref)).toEqual(['first', 'second']);
    });

    it('gets one notice of an actor that it watches, at once of one that has ended (V5)', async () => {
      const rig = hostRig(kind);
      const [ref, watched] = [await rig.spawn('obedient'), await rig.spawn('obedient')];
      const gone = { gone: watched.path, reason: 'normal' };
      ref.tell({ do: 'watch', actor: watched.address });
      ref.tell({ do: 'watch', actor: watched.address });
      await report(ref);

      watched.tell({ do: 'stop' });
      await exitOf(watched);
      expect(await report(ref)).toEqual([gone]);

      ref.tell({ do: 'watch', actor: watched.address });
      expect(await report(ref)).toHaveLength(1);
      expect(await report(ref)).toEqual([gone, { ...gone, reason: 'stopped' }]);
    });

    it('gets no notice of what it unwatched (V5)', async () => {
      const rig = hostRig(kind);
      const [ref, watched] = [await rig.spawn('obedient'), await rig.spawn('obedient')];
      ref.tell({ do: 'watch', actor: watched.address });
      ref.tell({ do: 'unwatch', actor: watched.address });
      await report(ref);

      await within(watched.stop(), 'the stop');

      expect(await report(ref)).toEqual([]);
    });

    it('takes the children that it spawned along when it ends (V5)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient', { name: 'parent' });
      const module = String(fixture('obedient'));
      const options = { name: 'child', args: { kept: ['here'] } };

      const address = await ref.ask({ do: 'spawn', module, options }, { timeoutMs });
      const child = rig.kernel.refTo(address as ActorRef['address']);

      expect(child.path).toBe('/parent/child');
      expect(await report(child)).toEqual(['here']);
      const exit = exitOf(child);
      ref.tell({ do: 'stop' });
      expect((await exit).reason).toBe('parent_exit');
    });

    it('starts again from its last commit, with its mail (V3)', async () => {
      const rig = hostRig(kind);
      const watcher = probeOf(rig);
      const args = { tell: watcher.address };
      const ref = await rig.spawn('obedient', { args, restart: 'permanent' });
      await watcher.next();
      ref.tell({ do: 'commit', value: { turn: 1 } });
      ref.tell({ do: 'commit', value: { turn: 2 } });
      ref.tell({ do: 'keep', value: 'lost with its life' });
      const crash = ref.ask({ do: 'throw' }, { timeoutMs });
      ref.tell({ do: 'keep', value: 'kept' });

      expect((await rejection(crash)).code).toBe('crashed');
      await rig.clock.advance(200);

      expect(await watcher.next()).toBe('started 2');
      expect(await report(ref)).toEqual(['kept']);
      const facts = await ref.ask({ do: 'facts' }, { timeoutMs });
      expect(facts).toMatchObject({ incarnation: 2, snapshot: { turn: 2 }, path: ref.path });
    });

    it('publishes facts in order (O3)', async () => {
      const rig = hostRig(kind);
      const ref = await rig.spawn('obedient');

      ref.tell({ do: 'publish', value: 1 });
      ref.tell({ do: 'publish', value: { b: 2 } });
      await report(ref);

      expect(rig.published.map(({ event }) => event)).toEqual([1, { b: 2 }]);
    });
  });
}
