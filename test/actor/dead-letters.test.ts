// Checks dead letters: the ring and its reasons (L2, L3).
import { describe, expect, it } from 'vitest';
import {
  type DeadLetterReason,
  DeadLetters,
  deadLetterReasons,
  defaultDeadLetterLimits,
} from '#src/actor/dead-letters.js';
import { askFailure } from '#src/actor/message-router.js';
import { envelope } from '../support/envelope.ts';
import { gate, reacting, testKernel } from '../support/kernel.ts';

const entry = { reason: 'full', at: 0, wasAccepted: false } as const;

describe('DeadLetters', () => {
  it('keeps 1,000 entries and 4 MiB, and no messages, unless told otherwise (L3)', () => {
    expect(defaultDeadLetterLimits).toEqual({
      maxEntries: 1_000,
      maxBytes: 4 * 1024 * 1024,
      keepsMessages: false,
    });
  });

  it('drops the oldest beyond its entries (L3)', () => {
    const ring = new DeadLetters();

    for (let id = 1; id <= 1_001; id += 1) ring.record(envelope({ id }), entry);

    expect(ring.list()).toHaveLength(1_000);
    expect(ring.list()[0]?.envelopeId).toBe(2);
  });

  it('drops the oldest beyond its bytes when it keeps messages (L3)', () => {
    const limits = { maxEntries: 10, maxBytes: 1_000, keepsMessages: true };
    const ring = new DeadLetters(limits);

    for (let id = 1; id <= 5; id += 1)
      ring.record(envelope({ id, bytes: 200, message: id }), entry);

    expect(ring.list().map(({ message }) => message)).toEqual([4, 5]);
  });

  it('keeps metadata only by default (L3)', () => {
    const ring = new DeadLetters();

    const letter = ring.record(envelope({ message: 'secret' }), entry);

    expect('message' in letter).toBe(false);
    expect(letter).toEqual({
      ...entry,
      envelopeId: 1,
      from: null,
      to: { id: 'a1', path: '/a1' },
      bytes: 8,
    });
  });

  it('answers an asker at once, before any deadline (L3)', async () => {
    const { kernel, clock } = testKernel();
    const ref = kernel.spawnInline(
      reacting(() => null),
      { mailbox: { maxMessages: 0 } },
    );

    const code = await ref.ask(1, { timeoutMs: 1_000_000 }).catch((error) => error.code);

    expect(code).toBe('mailbox_full');
    expect(clock.now()).toBe(0);
  });
});

describe('a listener of dead letters that throws', () => {
  it('changes nothing for sender and receiver, and its error comes out of no call (L1)', async () => {
    const thrown: unknown[] = [];
    const others = process.rawListeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => thrown.push(error));
    try {
      const mistake = new Error('a bad listener');
      const { kernel, clock, untilIdle } = testKernel({
        onDeadLetter: () => {
          throw mistake;
        },
      });
      const begun = gate();
      const log: unknown[] = [];
      const ref = kernel.spawnInline(
        reacting((message) => {
          log.push(message);
          return message === 'wait' ? begun.passed : null;
        }),
      );
      ref.tell('wait');
      const expired = ref.ask('expires', { timeoutMs: 10 }).catch(({ code }) => code);
      ref.tell('after it');
      await clock.advance(10);

      begun.open();
      await untilIdle();
      kernel.router.tell(null, { id: 'a99', path: '/nobody' }, 1);
      await untilIdle();

      expect(log).toEqual(['wait', 'after it']);
      expect(await expired).toBe('ask_timeout');
      expect(thrown).toEqual([mistake, mistake]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other as () => void);
    }
  });
});

describe('an asker', () => {
  const codes: Readonly<Record<DeadLetterReason, string>> = {
    no_such_actor: 'no_such_actor',
    terminated: 'actor_terminated',
    full: 'mailbox_full',
    expired: 'ask_timeout',
    stopped: 'actor_terminated',
    in_doubt: 'in_doubt',
    activation_failed: 'activation_failed',
    stash_overflow: 'stash_overflow',
    clone_failed: 'clone_failed',
  };

  it.each(deadLetterReasons)('learns of %s at once, by its code and the path (L3)', (reason) => {
    const learnt = askFailure({ id: 'a7', path: '/seven' }, reason);

    expect(learnt.code).toBe(codes[reason]);
    expect(learnt.message).toContain('/seven');
  });
});

describe('the reasons', () => {
  type Case = { readonly wasAccepted: boolean; readonly cause: () => Promise<unknown> };
  const on = () => testKernel();
  const quiet = reacting(() => null);
  const run = (act: (kernel: ReturnType<typeof on>) => unknown): (() => Promise<unknown>) => {
    return async () => {
      const kernel = on();
      await act(kernel);
      await kernel.untilIdle();
      return kernel.letters.map(({ reason, wasAccepted }) => ({ reason, wasAccepted }))[0];
    };
  };

  /** Every reason that can occur without threads; the others are tested where they arise. */
  const cases: { readonly [Reason in DeadLetterReason]?: Case } = {
    no_such_actor: {
      wasAccepted: false,
      cause: run(({ kernel }) => kernel.router.tell(null, { id: 'a77', path: '/x' }, 1)),
    },
    terminated: {
      wasAccepted: false,
      cause: run(async ({ kernel }) => {
        const ref = kernel.spawnInline(quiet);
        await ref.stop();
        ref.tell(1);
      }),
    },
    full: {
      wasAccepted: false,
      cause: run(({ kernel }) =>
        kernel.spawnInline(quiet, { mailbox: { maxMessages: 0 } }).tell(1),
      ),
    },
    expired: {
      wasAccepted: true,
      cause: run(async ({ kernel, clock }) => {
        const ref = kernel.spawnInline(quiet);
        ref.pause();
        ref.ask(1, { timeoutMs: 5 }).catch(() => null);
        await clock.advance(5);
        ref.resume();
      }),
    },
    stopped: {
      wasAccepted: true,
      cause: run(({ kernel }) => {
        const ref = kernel.spawnInline(quiet);
        ref.tell(1);
        return ref.stop();
      }),
    },
    in_doubt: {
      wasAccepted: true,
      cause: run(({ kernel }) =>
        kernel.spawnInline(reacting(() => Promise.reject(new Error('boom')))).tell(1),
      ),
    },
    stash_overflow: {
      wasAccepted: true,
      cause: run(({ kernel }) => {
        const ref = kernel.spawnInline(reacting((_message, self) => self.stash()));
        for (let at = 0; at < 257; at += 1) ref.tell(at);
      }),
    },
  };

  it.each(deadLetterReasons.filter((reason) => cases[reason] !== undefined))(
    'names %s (L2)',
    async (reason) => {
      const { wasAccepted, cause } = cases[reason]!;

      expect(await cause()).toEqual({ reason, wasAccepted });
    },
  );

  it('says stopped to mail for an actor that is on its way out (L2)', async () => {
    const { kernel, letters, untilIdle } = testKernel();
    const ref = kernel.spawnInline(
      reacting(() => null, { stopped: (self) => self.tell(self.address, 'too late') }),
    );

    await ref.stop();
    await untilIdle();

    expect(letters).toMatchObject([{ reason: 'stopped', wasAccepted: false }]);
  });
});
