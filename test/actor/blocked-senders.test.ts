// Checks offers that wait for room (M5).
import { describe, expect, it } from 'vitest';
import { BlockedSenders } from '#src/actor/blocked-senders.js';
import { ManualClock } from '#src/base/clock.js';
import { gate, reacting, type TestKernel, testKernel, untilAborted } from '../support/kernel.ts';

function paused(on: TestKernel, log: unknown[] = [], maxMessages = 1) {
  const ref = on.kernel.spawnInline(
    reacting((message) => log.push(message)),
    {
      mailbox: { maxMessages, maxBytes: 100 },
    },
  );
  ref.pause();
  return ref;
}

describe('offer', () => {
  it('admits each once, also when whoever is admitted makes room for the next in the same call (M5)', async () => {
    const queue = new BlockedSenders(new ManualClock());
    const admitted: string[] = [];
    const offers = ['first', 'second'].map((name) =>
      queue.wait(1, {}, () => {
        admitted.push(name);
        queue.admit(() => true);
      }),
    );

    queue.admit(() => true);

    expect(await Promise.all(offers)).toEqual(['accepted', 'accepted']);
    expect(admitted).toEqual(['first', 'second']);
  });

  it('is accepted at once when there is room (M5)', async () => {
    const ref = paused(testKernel());

    expect(await ref.offer(1, { timeoutMs: 0 })).toBe('accepted');
  });

  it('waits for room, first come first served, ahead of later tells (M5)', async () => {
    const on = testKernel();
    const log: unknown[] = [];
    const ref = paused(on, log);
    ref.tell('first');

    const offers = [ref.offer('second', { timeoutMs: 100 }), ref.offer('third', {})];
    ref.tell('too late');
    ref.resume();

    expect(await Promise.all(offers)).toEqual(['accepted', 'accepted']);
    await on.untilIdle();
    expect(log).toEqual(['first', 'second', 'third']);
    expect(on.kernel.ledger()).toMatchObject({ offered: 4, accepted: 3, refused: 1 });
  });

  it('resolves full when its time is over (M5)', async () => {
    const on = testKernel();
    const ref = paused(on);
    ref.tell('first');

    const offer = ref.offer('second', { timeoutMs: 100 });
    await on.clock.advance(99);
    expect(on.kernel.ledger().refused).toBe(0);
    await on.clock.advance(1);

    expect(await offer).toBe('full');
    expect(on.letters).toMatchObject([{ reason: 'full', wasAccepted: false }]);
  });

  it('resolves full when its signal aborts, before or while it waits (M5)', async () => {
    const on = testKernel();
    const ref = paused(on);
    ref.tell('first');
    const abort = new AbortController();

    const waiting = ref.offer('second', { signal: abort.signal });
    abort.abort();

    expect(await waiting).toBe('full');
    expect(await ref.offer('third', { signal: abort.signal })).toBe('full');
  });

  it('resolves full at once when no room could ever be enough (M5)', async () => {
    const on = testKernel({ maxTotalBytes: 1_000 });
    const ref = paused(on);
    const roomy = on.kernel.spawnInline(reacting(() => null));

    expect(await ref.offer('x'.repeat(100), {})).toBe('full');
    expect(await roomy.offer('x'.repeat(1_000), {})).toBe('full');
  });

  it('lets a smaller one pass when the one before it gives up (M5)', async () => {
    const on = testKernel();
    const ref = paused(on, [], 10);
    ref.tell('x'.repeat(30));

    const large = ref.offer('y'.repeat(40), { timeoutMs: 100 });
    const small = ref.offer('z', {});
    await on.clock.advance(100);

    expect(await large).toBe('full');
    expect(await small).toBe('accepted');
  });

  it('is accepted when another mailbox frees the bytes that the system lacked (M5)', async () => {
    const on = testKernel({ maxTotalBytes: 32 });
    const pausedActor = paused(on, [], 10);
    const other = on.kernel.spawnInline(reacting(() => null));
    for (const at of [1, 2, 3, 4]) pausedActor.tell(at);

    const offer = other.offer(5, {});
    pausedActor.resume();

    expect(await offer).toBe('accepted');
  });

  it('resolves dead for an actor that has ended, is unknown, or ends meanwhile (M5)', async () => {
    const on = testKernel();
    const ref = paused(on);
    ref.tell('first');

    const waiting = ref.offer('second', {});
    await ref.stop();

    expect(await waiting).toBe('dead');
    expect(await ref.offer('third', {})).toBe('dead');
    const unknown = { id: 'a999', path: '/nobody' };
    expect(await on.kernel.router.offer({ from: null, to: unknown }, 1, {})).toBe('dead');
    expect(on.kernel.ledger()).toMatchObject({ offered: 4, accepted: 1, refused: 3 });
  });

  it('resolves dead as soon as the actor begins to stop (M5)', async () => {
    const on = testKernel();
    const cleanedUp = gate();
    const ref = on.kernel.spawnInline(
      reacting((_message, self) => untilAborted(self.signal), { stopped: () => cleanedUp.passed }),
      { mailbox: { maxMessages: 1 } },
    );
    ref.tell('in hand');
    await on.untilIdle();
    ref.tell('queued');

    const waiting = ref.offer('waits', {});
    const stopped = ref.stop();

    expect(await waiting).toBe('dead');
    expect(await ref.offer('late', {})).toBe('dead');
    expect(on.letters.map(({ reason }) => reason)).toEqual(['terminated', 'stopped']);
    cleanedUp.open();
    await stopped;
  });

  it('waits through a restart (M5)', async () => {
    const on = testKernel();
    const crash = gate();
    const log: unknown[] = [];
    const ref = on.kernel.spawnInline(
      reacting((message) => (message === 'crash' ? crash.passed : log.push(message))),
      { restart: 'permanent', mailbox: { maxMessages: 1 } },
    );
    ref.tell('crash');
    await on.untilIdle();
    ref.tell('queued');

    const waiting = ref.offer('waits', {});
    crash.fail(new Error('boom'));
    await on.clock.advance(200);

    expect(await waiting).toBe('accepted');
    expect(log).toEqual(['queued', 'waits']);
  });
});
