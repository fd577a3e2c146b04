// Checks asks: deadlines, replies, cycles of waits (M7, M8).
import { describe, expect, it } from 'vitest';
import type { Address } from '#src/actor/address.js';
import { isExpired } from '#src/actor/envelope.js';
import { envelope } from '../support/envelope.ts';
import { gate, reacting, testKernel, untilAborted } from '../support/kernel.ts';

const soon = { timeoutMs: 1_000 };

/** An actor that forwards what it is asked along a path of addresses, and answers at its end. */
const forwarder = reacting(async (message, self) => {
  const [first, ...rest] = message as readonly Address[];
  if (first === undefined) self.reply('the end');
  else self.reply(await self.ask(first, rest, soon).catch((error) => error.code));
});

describe('ask', () => {
  it('resolves with the reply (M7)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(reacting((message, self) => self.reply([message])));

    expect(await ref.ask('hello', soon)).toEqual(['hello']);
  });

  it.each([undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])(
    'needs a deadline: refuses a timeoutMs of %s (M7)',
    async (timeoutMs) => {
      const { kernel } = testKernel();
      const ref = kernel.spawnInline(reacting(() => null));

      const answer = ref.ask('hello', { timeoutMs: timeoutMs as number });

      await expect(answer).rejects.toMatchObject({ code: 'ask_without_deadline' });
      expect(kernel.ledger().offered).toBe(0);
    },
  );

  it('rejects at its deadline, and counts the late reply without delivering it (M7)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const thinking = gate();
    const ref = kernel.spawnInline(
      reacting(async (_message, self) => {
        await thinking.passed;
        self.reply('late');
      }),
    );
    const answer = ref.ask('hello', { timeoutMs: 100 }).catch((error) => error.code);

    await clock.advance(99);
    expect(kernel.router.asks.size).toBe(1);
    await clock.advance(1);
    thinking.open();
    await untilIdle();

    expect(await answer).toBe('ask_timeout');
    expect(kernel.router.asks.lateReplies).toBe(1);
  });

  it('serves every deadline, in whatever order they were set (M7)', async () => {
    const { kernel, clock } = testKernel();
    const ref = kernel.spawnInline(reacting((_message, self) => untilAborted(self.signal)));
    const log: string[] = [];
    for (const timeoutMs of [300, 100, 200, 100]) {
      ref.ask('hello', { timeoutMs }).catch(() => log.push(`${timeoutMs} at ${clock.now()}`));
    }

    await clock.advance(300);

    expect(log).toEqual(['100 at 100', '100 at 100', '200 at 200', '300 at 300']);
  });

  it('takes only the first reply (M7)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(
      reacting((_message, self) => {
        self.reply('first');
        self.reply('second');
      }),
    );

    expect(await ref.ask('hello', soon)).toBe('first');
    expect(kernel.router.asks.lateReplies).toBe(0);
  });

  it('rejects at once for an actor that has ended or never was (M7)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(reacting(() => null));
    await ref.stop();
    const unknown = { id: 'a999', path: '/nobody' };

    await expect(ref.ask(1, soon)).rejects.toMatchObject({ code: 'actor_terminated' });
    await expect(kernel.router.ask({ from: null, to: unknown }, 1, soon)).rejects.toMatchObject({
      code: 'no_such_actor',
    });
  });

  it.each([
    { end: 'returns without a reply', code: 'no_reply' },
    { end: 'crashes', code: 'crashed' },
    { end: 'is killed', code: 'in_doubt' },
  ])('rejects $code when the receive $end (M7)', async ({ end, code }) => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(
      reacting(() => {
        if (end === 'crashes') throw new Error('boom');
        return end === 'is killed' ? gate().passed : null;
      }),
    );
    const answer = ref.ask('hello', soon).catch((error) => error.code);
    await untilIdle();

    if (end === 'is killed') await ref.kill();

    expect(await answer).toBe(code);
  });

  it('rejects when the actor stops before it began (M7)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(reacting(() => null));
    ref.pause();
    const answer = ref.ask('hello', soon).catch((error) => error.code);

    await ref.stop();

    expect(await answer).toBe('actor_terminated');
  });

  it('rejects mailbox_full, which may be tried again (M7)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(
      reacting(() => null),
      { mailbox: { maxMessages: 0 } },
    );

    await expect(ref.ask(1, soon)).rejects.toMatchObject({ code: 'mailbox_full', retryable: true });
  });

  it('does not start a message whose deadline came while it was queued (M8)', async () => {
    const { kernel, clock, letters, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(reacting((message) => log.push(message)));
    ref.pause();
    const answer = ref.ask('expired', { timeoutMs: 100 }).catch((error) => error.code);
    ref.tell('alive');

    await clock.advance(100);
    ref.resume();
    await untilIdle();

    expect(await answer).toBe('ask_timeout');
    expect(log).toEqual(['alive']);
    expect(letters).toMatchObject([{ reason: 'expired', wasAccepted: true }]);
  });

  it.each([
    { now: 99, expected: false },
    { now: 100, expected: true },
  ])('calls a message with deadline 100 expired at $now: $expected (M8)', ({ now, expected }) => {
    expect(isExpired(envelope({ deadline: 100 }), now)).toBe(expected);
  });
});

describe('a cycle of asks', () => {
  it('rejects deadlock for an actor that asks itself in its receive (M7)', async () => {
    const { kernel } = testKernel();
    const ref = kernel.spawnInline(forwarder);

    expect(await ref.ask([ref.address], soon)).toBe('deadlock');
  });

  it('rejects deadlock over three actors, and only for the one that closes it (M7)', async () => {
    const { kernel, untilIdle } = testKernel();
    const [a, b, c] = [0, 1, 2].map(() => kernel.spawnInline(forwarder));

    const answer = await a!.ask([b!.address, c!.address, a!.address], soon);

    await untilIdle();
    expect(answer).toBe('deadlock');
    expect(kernel.ledger()).toMatchObject({ processed: 3, refused: 0 });
  });

  it('lets a chain without a cycle pass (M7)', async () => {
    const { kernel } = testKernel();
    const refs = [0, 1, 2, 3].map(() => kernel.spawnInline(forwarder));

    expect(
      await refs[0]!.ask(
        refs.slice(1).map((ref) => ref.address),
        soon,
      ),
    ).toBe('the end');
  });

  it('lets two actors ask each other one after the other (M7)', async () => {
    const { kernel } = testKernel();
    const [a, b] = [kernel.spawnInline(forwarder), kernel.spawnInline(forwarder)];

    expect(await a.ask([b.address], soon)).toBe('the end');
    expect(await b.ask([a.address], soon)).toBe('the end');
  });

  it('closes no cycle with an ask whose receive has ended (M7)', async () => {
    const { kernel } = testKernel();
    const asked = gate<unknown>();
    const b = kernel.spawnInline(forwarder);
    const a = kernel.spawnInline(
      reacting((message, self) => {
        if (message !== 'go') return self.reply('free');
        // Not awaited: this receive ends at once, and its actor can answer whoever asks.
        return void self.ask(b.address, [self.address], soon).then(asked.open, asked.open);
      }),
    );

    a.tell('go');

    expect(await asked.passed).toBe('free');
  });

  it('closes no cycle with an ask made between two receives (M7)', async () => {
    const { kernel } = testKernel();
    const asked = gate<unknown>();
    const later = gate();
    const b = kernel.spawnInline(forwarder);
    const a = kernel.spawnInline(
      reacting((message, self) => {
        if (message !== 'go') return self.reply('free');
        const ask = () => self.ask(b.address, [self.address], soon);
        return void later.passed.then(ask).then(asked.open, asked.open);
      }),
    );
    a.tell('go');

    later.open();

    expect(await asked.passed).toBe('free');
  });
});

describe('takeReply', () => {
  it('answers after the receive, once (M7)', async () => {
    const { kernel, untilIdle } = testKernel();
    const taken = gate<(value: unknown) => void>();
    const ref = kernel.spawnInline(reacting((_message, self) => taken.open(self.takeReply())));
    const answer = ref.ask('hello', soon);
    const reply = await taken.passed;
    await untilIdle();
    expect(kernel.ledger().processed).toBe(1);

    reply('later');
    reply('again');

    expect(await answer).toBe('later');
    expect(kernel.router.asks.lateReplies).toBe(0);
  });

  it('cannot be used after the activation ended, and its asker has learned of the end (M7)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const taken = gate<(value: unknown) => void>();
    const ref = kernel.spawnInline(
      reacting((message, self) => {
        if (message === 'crash') throw new Error('boom');
        taken.open(self.takeReply());
      }),
      { restart: 'permanent' },
    );
    const answer = ref.ask('hello', soon).catch((error) => error.code);
    const reply = await taken.passed;

    ref.tell('crash');
    await untilIdle();
    await clock.advance(200);

    expect(await answer).toBe('crashed');
    expect(() => reply('too late')).toThrow(expect.objectContaining({ code: 'activation_ended' }));
  });

  it('does nothing for a message that was no ask (M7)', async () => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(reacting((_message, self) => self.takeReply()('nobody')));

    ref.tell('hello');
    await untilIdle();

    expect(kernel.router.asks.lateReplies).toBe(0);
  });
});
