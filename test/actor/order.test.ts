// Checks the order of messages and what their envelopes carry (M2, M3, M8).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Address } from '#src/actor/address.js';
import { stop } from '#src/actor/behavior.js';
import { gate, reacting, spawnProbe, testKernel, untilAborted } from '../support/kernel.ts';

describe('the order of messages', () => {
  it('is FIFO per sender and receiver, whoever else sends and however long receives take (M3)', async () => {
    const step = fc.record({
      from: fc.integer({ min: 0, max: 2 }),
      to: fc.integer({ min: 0, max: 1 }),
      isSlow: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { kernel, clock } = testKernel();
        const seen: { at: number; from: string; number: number }[] = [];
        const receivers = [0, 1].map((at) =>
          kernel.spawnInline(
            reacting(async (message, self) => {
              const { number, isSlow } = message as { number: number; isSlow: boolean };
              if (isSlow) await Promise.resolve();
              seen.push({ at, from: self.sender?.id ?? 'host', number });
            }),
          ),
        );
        const senders = [0, 1, 2].map(() =>
          kernel.spawnInline(
            reacting((message, self) => {
              const { to, what } = message as { to: Address; what: unknown };
              self.tell(to, what);
            }),
          ),
        );

        steps.forEach(({ from, to, isSlow }, number) => {
          const receiver = receivers[to]!;
          senders[from]!.tell({ to: receiver.address, what: { number, isSlow } });
        });
        await clock.advance(0);

        expect(seen).toHaveLength(steps.length);
        for (const at of [0, 1]) {
          for (const [index, sender] of senders.entries()) {
            const sent = steps.flatMap(({ from, to }, number) =>
              from === index && to === at ? [number] : [],
            );
            const got = seen.filter((one) => one.at === at && one.from === sender.id);
            expect(got.map(({ number }) => number)).toEqual(sent);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('lets a stop overtake all queued mail (M2)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting(async (message, self) => {
        log.push(message);
        await untilAborted(self.signal);
      }),
    );
    ref.tell('in hand');
    ref.tell('queued');
    await untilIdle();

    await ref.stop();

    expect(log).toEqual(['in hand']);
  });

  it("puts the terminated notice after the child's last message (M2)", async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const ref = on.kernel.spawnInline(
      reacting(
        (_message, self) => {
          self.tell(watcher.address, 'last of the receive');
          return stop();
        },
        { stopped: (self) => self.tell(watcher.address, 'last of all') },
      ),
    );
    on.kernel.router.watch(watcher.address, ref.address);

    ref.tell('go');

    expect(await probe.expectMessage()).toBe('last of the receive');
    expect(await probe.expectMessage()).toBe('last of all');
    expect(await probe.expectExit()).toBe('normal');
  });

  it('keeps the mail of a receive that never began, and its order, through a restart (M4)', async () => {
    const { kernel, clock, letters, untilIdle } = testKernel();
    const log: unknown[] = [];
    const crash = gate();
    const ref = kernel.spawnInline(
      reacting((message) => (message === 'crash' ? crash.passed : log.push(message))),
      { restart: 'transient' },
    );
    for (const message of ['crash', 1, 2, 3]) ref.tell(message);
    await untilIdle();

    crash.fail(new Error('boom'));
    await untilIdle();
    ref.tell(4);
    await clock.advance(200);

    expect(log).toEqual([1, 2, 3, 4]);
    expect(letters).toMatchObject([{ reason: 'in_doubt', wasAccepted: true }]);
  });
});

describe('an envelope', () => {
  it('tells the receiver who sent it, null for the host program (M8)', async () => {
    const { kernel, untilIdle } = testKernel();
    const senders: (Address | null)[] = [];
    const receiver = kernel.spawnInline(reacting((_message, self) => senders.push(self.sender)));
    const sender = kernel.spawnInline(
      reacting((_message, self) => self.tell(receiver.address, 'from an actor')),
    );

    receiver.tell('from the host');
    sender.tell('go');
    await untilIdle();

    expect(senders).toEqual([null, sender.address]);
  });

  it('bears its number at the receiver, from 1 (M8)', () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(reacting(() => null));
    ref.pause();

    kernel.router.tell(null, ref.address, 'hello');

    expect(kernel.router.registry.get(ref.id)?.take()).toBeNull();
    ref.resume();
    const taken = kernel.router.registry.get(ref.id)?.take();
    expect(taken).toMatchObject({ from: null, to: ref.address, seq: 1, message: 'hello' });
    kernel.router.registry.get(ref.id)?.acknowledge('processed');
  });
});
