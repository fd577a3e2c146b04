// Checks messages that were set aside (M9).
import { describe, expect, it } from 'vitest';
import type { Self } from '#src/actor/behavior.js';
import { reacting, testKernel, untilAborted } from '../support/kernel.ts';

const soon = { timeoutMs: 1_000 };

/** Stashes until it is told `open`, then logs. */
function door(log: unknown[]) {
  let isOpen = false;
  return reacting((message, self) => {
    if (message === 'open') {
      isOpen = true;
      self.unstashAll();
    } else if (isOpen) {
      log.push(message);
      self.reply(message);
    } else {
      self.stash();
    }
  });
}

describe('stash', () => {
  it('returns messages before the next one, in their order (M9)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(door(log));

    for (const message of [1, 2, 'open', 3]) ref.tell(message);
    await untilIdle();

    expect(log).toEqual([1, 2, 3]);
    expect(kernel.ledger()).toMatchObject({ accepted: 4, processed: 4 });
  });

  it('counts a stashed message as pending (L1)', async () => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(door([]));

    ref.tell(1);
    ref.tell(2);
    await untilIdle();

    expect(kernel.ledger()).toMatchObject({ accepted: 2, processed: 0, pending: 2 });
  });

  it('holds 256, then throws (M9)', async () => {
    const { kernel, untilIdle } = testKernel();
    const thrown: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting((_message, self) => {
        try {
          self.stash();
        } catch (error) {
          thrown.push(error);
        }
      }),
    );

    for (let at = 0; at < 257; at += 1) ref.tell(at);
    await untilIdle();

    expect(thrown).toEqual([expect.objectContaining({ code: 'stash_overflow' })]);
    expect(kernel.ledger()).toMatchObject({ processed: 1, pending: 256 });
  });

  it('names stash_overflow for the message that an actor crashed on (L2)', async () => {
    const { kernel, letters, untilIdle } = testKernel();
    const ref = kernel.spawnInline(reacting((_message, self) => self.stash()));

    for (let at = 0; at < 256; at += 1) ref.tell(at);
    const answer = ref.ask(256, soon).catch((error) => error.code);
    await untilIdle();

    expect(await answer).toBe('stash_overflow');
    expect(letters[0]).toMatchObject({ reason: 'stash_overflow', wasAccepted: true });
    expect(letters.slice(1).every(({ reason }) => reason === 'stopped')).toBe(true);
  });

  it('keeps the message in hand aside when the same receive unstashes (M9)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting((message, self) => {
        log.push(message);
        if (message === 'swap' && log.length < 3) {
          self.stash();
          self.unstashAll();
        } else if (message === 'aside' && log.length < 2) {
          self.stash();
        } else if (message === 'all') {
          self.unstashAll();
        }
      }),
    );

    for (const message of ['aside', 'swap', 'all']) ref.tell(message);
    await untilIdle();

    expect(log).toEqual(['aside', 'swap', 'aside', 'all', 'swap']);
    expect(kernel.ledger()).toMatchObject({ processed: 3, pending: 0 });
  });

  it('leaves the ask of a stashed message open (M9)', async () => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(door([]));

    const answer = ref.ask('later', soon);
    await untilIdle();
    ref.tell('open');

    expect(await answer).toBe('later');
  });

  it('keeps stashed messages and their asks through a restart, ahead of the mailbox (V3)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting((message, self) => {
        if (message === 'crash') throw new Error('boom');
        if (self.incarnation === 1) return self.stash();
        log.push(message);
        return self.reply(message);
      }),
      { restart: 'permanent' },
    );

    const first = ref.ask('first', soon);
    ref.tell('second');
    ref.tell('crash');
    ref.tell('third');
    await untilIdle();
    await clock.advance(200);

    expect(await first).toBe('first');
    expect(log).toEqual(['first', 'second', 'third']);
  });

  it('turns stashed messages into dead letters when the actor stops (L2)', async () => {
    const { kernel, letters, untilIdle } = testKernel();
    const ref = kernel.spawnInline(door([]));
    const answer = ref.ask('never', soon).catch((error) => error.code);
    await untilIdle();

    await ref.stop();

    expect(await answer).toBe('actor_terminated');
    expect(letters).toMatchObject([{ reason: 'stopped', wasAccepted: true }]);
  });

  it('does not keep a message whose receive was interrupted, and tells its asker (M9)', async () => {
    const { kernel, untilIdle } = testKernel();
    const stash = (self: Self) => {
      self.stash();
      return untilAborted(self.signal);
    };
    const ref = kernel.spawnInline(reacting((_message, self) => stash(self)));
    const answer = ref.ask('hello', soon).catch((error) => error.code);
    await untilIdle();

    await ref.interrupt();

    expect(await answer).toBe('interrupted');
    expect(kernel.ledger()).toMatchObject({ processed: 1, pending: 0 });
  });
});
