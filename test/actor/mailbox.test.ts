// Checks the bounds of the user lane (M5, M2).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#src/actor/envelope.js';
import { ByteBudget, defaultMailboxLimits, Mailbox, type Overflow } from '#src/actor/mailbox.js';
import { envelope } from '../support/envelope.ts';
import { reacting, testKernel } from '../support/kernel.ts';

const unbounded = { maxMessages: 10, maxBytes: 1_000, overflow: 'reject' } as const;

describe('Mailbox', () => {
  it('holds 1,024 messages and 16 MiB unless told otherwise (M5)', () => {
    expect(defaultMailboxLimits).toEqual({
      maxMessages: 1_024,
      maxBytes: 16 * 1024 * 1024,
      overflow: 'reject',
    });
  });

  it.each([
    { bound: 'messages', limits: { ...unbounded, maxMessages: 2 }, cap: 1_000 },
    { bound: 'bytes', limits: { ...unbounded, maxBytes: 16 }, cap: 1_000 },
    { bound: 'bytes of the system', limits: unbounded, cap: 16 },
  ])('takes exactly what fits its $bound (M5)', ({ limits, cap }) => {
    const mailbox = new Mailbox(limits, new ByteBudget(cap));

    const admitted = [1, 2, 3].map((id) => mailbox.push(envelope({ id, bytes: 8 })).type);

    expect(admitted).toEqual(['accepted', 'accepted', 'full']);
  });

  it('drops the newest under drop_newest (M5)', () => {
    const limits = { ...unbounded, maxMessages: 1, overflow: 'drop_newest' } as const;
    const mailbox = new Mailbox(limits, new ByteBudget());
    mailbox.push(envelope({ id: 1 }));

    const admission = mailbox.push(envelope({ id: 2 }));

    expect(admission).toMatchObject({ type: 'dropped', victim: { id: 2 } });
    expect(mailbox.shift()?.id).toBe(1);
  });

  it('drops the oldest under drop_oldest (M5)', () => {
    const limits = { ...unbounded, maxMessages: 1, overflow: 'drop_oldest' } as const;
    const mailbox = new Mailbox(limits, new ByteBudget());
    mailbox.push(envelope({ id: 1 }));

    const admission = mailbox.push(envelope({ id: 2 }));

    expect(admission).toMatchObject({ type: 'dropped', victim: { id: 1 } });
    expect(mailbox.shift()?.id).toBe(2);
  });

  it('drops nothing for a message that would not fit even so (M5)', () => {
    const limits = { ...unbounded, maxBytes: 16, overflow: 'drop_oldest' } as const;
    const mailbox = new Mailbox(limits, new ByteBudget());
    mailbox.push(envelope({ id: 1, bytes: 8 }));

    expect(mailbox.push(envelope({ id: 2, bytes: 17 })).type).toBe('full');
    expect(mailbox.shift()?.id).toBe(1);
  });

  it('never drops a terminated notice to make room (M2)', () => {
    const limits = { ...unbounded, maxMessages: 2, overflow: 'drop_oldest' } as const;
    const mailbox = new Mailbox(limits, new ByteBudget());
    mailbox.append(envelope({ id: 1, isNotice: true }));
    mailbox.push(envelope({ id: 2 }));

    expect(mailbox.push(envelope({ id: 3 }))).toMatchObject({ victim: { id: 2 } });
    expect([mailbox.shift()?.id, mailbox.shift()?.id]).toEqual([1, 3]);
  });

  it('numbers what it accepts from 1, without gaps (M8)', () => {
    const mailbox = new Mailbox({ ...unbounded, maxMessages: 1 }, new ByteBudget());
    const seqs: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      const one = envelope();
      mailbox.push(one);
      mailbox.push(envelope({ id: 2 }));
      mailbox.shift();
      seqs.push(one.seq);
    }

    expect(seqs).toEqual([1, 2, 3]);
  });

  const step = fc.oneof(
    fc.record({ type: fc.constant('push' as const), bytes: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ type: fc.constant('append' as const), bytes: fc.integer({ min: 0, max: 10 }) }),
    fc.record({ type: fc.constant('shift' as const) }),
    fc.record({ type: fc.constant('back' as const) }),
  );
  const overflows = fc.constantFrom<Overflow>('reject', 'drop_newest', 'drop_oldest');

  it('behaves like an array with bounds, whatever is done to it (M5)', () => {
    fc.assert(
      fc.property(overflows, fc.array(step, { maxLength: 60 }), (overflow, steps) => {
        const budget = new ByteBudget(90);
        const limits = { maxMessages: 4, maxBytes: 60, overflow };
        const mailbox = new Mailbox(limits, budget);
        let model: Envelope[] = [];
        const bytesOf = (all: readonly Envelope[]) => all.reduce((sum, one) => sum + one.bytes, 0);
        const fits = (one: Envelope, all: readonly Envelope[]) =>
          all.length < 4 && bytesOf(all) + one.bytes <= 60;
        let id = 0;
        let taken: Envelope | null = null;
        for (const one of steps) {
          id += 1;
          if (one.type === 'push') {
            const pushed = envelope({ id, bytes: one.bytes });
            const victim = model.find(({ isNotice }) => !isNotice);
            const without = model.filter((other) => other !== victim);
            const admission = mailbox.push(pushed);
            if (fits(pushed, model)) {
              expect(admission.type).toBe('accepted');
              model.push(pushed);
            } else if (overflow === 'drop_newest') {
              expect(admission).toEqual({ type: 'dropped', victim: pushed });
            } else if (overflow === 'drop_oldest' && victim && fits(pushed, without)) {
              expect(admission).toEqual({ type: 'dropped', victim });
              model = [...without, pushed];
            } else {
              expect(admission.type).toBe('full');
              // A victim that was not worth dropping is put back ahead of the notices.
              if (overflow === 'drop_oldest' && victim) model = [victim, ...without];
            }
          } else if (one.type === 'append') {
            const notice = envelope({ id, bytes: one.bytes, isNotice: true });
            mailbox.append(notice);
            model.push(notice);
          } else if (one.type === 'shift') {
            taken = mailbox.shift();
            expect(taken?.id).toBe(model.shift()?.id);
          } else if (taken !== null) {
            mailbox.unshift(taken);
            model.unshift(taken);
            taken = null;
          }
          expect(mailbox.length).toBe(model.length);
          expect(mailbox.bytes).toBe(bytesOf(model));
          expect(budget.used).toBe(bytesOf(model));
        }
        expect(model.map(() => mailbox.shift()?.id)).toEqual(model.map((left) => left.id));
      }),
    );
  });
});

describe('a full mailbox of an actor', () => {
  it('refuses the 1,025th message and counts it as refused (M5)', () => {
    const { kernel, letters } = testKernel();
    const ref = kernel.spawnInline(reacting(() => null));

    ref.pause();
    for (let at = 0; at < 1_025; at += 1) ref.tell(at);

    expect(kernel.ledger()).toMatchObject({ offered: 1_025, accepted: 1_024, refused: 1 });
    expect(letters).toMatchObject([{ reason: 'full', wasAccepted: false }]);
  });

  it.each(['drop_newest', 'drop_oldest'] as const)('counts a drop under %s (L1)', (overflow) => {
    const { kernel, letters } = testKernel();
    const mailbox = { maxMessages: 1, overflow };
    const ref = kernel.spawnInline(
      reacting(() => null),
      { mailbox },
    );

    ref.pause();
    ref.tell(1);
    ref.tell(2);

    expect(kernel.ledger()).toMatchObject({ offered: 2, accepted: 2, deadLettered: 1, pending: 1 });
    expect(letters).toMatchObject([
      { reason: 'full', wasAccepted: true, envelopeId: overflow === 'drop_newest' ? 2 : 1 },
    ]);
  });

  it('refuses above the byte cap of the system, whichever mailbox holds the bytes (M5)', async () => {
    const { kernel, untilIdle } = testKernel({ maxTotalBytes: 32 });
    const full = kernel.spawnInline(reacting(() => null));
    const empty = kernel.spawnInline(reacting(() => null));
    full.pause();

    for (const at of [1, 2, 3, 4]) full.tell(at);
    empty.tell(5);
    expect(kernel.ledger()).toMatchObject({ accepted: 4, refused: 1 });
    full.resume();
    await untilIdle();
    empty.tell(6);

    expect(kernel.ledger()).toMatchObject({ accepted: 5, refused: 1 });
  });

  it('still takes terminated notices (M2)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const watcher = kernel.spawnInline(
      reacting((message) => log.push(message)),
      {
        mailbox: { maxMessages: 1, overflow: 'drop_oldest' },
      },
    );
    const watched = [1, 2].map(() => kernel.spawnInline(reacting(() => null)));
    watcher.pause();
    for (const ref of watched) kernel.router.watch(watcher.address, ref.address);

    watcher.tell('dropped');
    for (const ref of watched) await ref.stop();
    watcher.tell('refused');
    watcher.resume();
    await untilIdle();

    expect(log).toEqual(
      ['dropped', ...watched.map(({ address }) => address)].map((one) =>
        one === 'dropped' ? one : { type: 'terminated', actor: one, reason: 'stopped' },
      ),
    );
  });
});
