// Checks interrupt and stop as one actor feels them (S2, S5, S9).
import { describe, expect, it } from 'vitest';
import { stop } from '#src/actor/behavior.js';
import { TroupeError } from '#src/base/failures.js';
import { gate, reacting, spawnProbe, testKernel, untilAborted } from '../support/kernel.ts';

describe('an interrupt', () => {
  it('ends the receive and not the actor, and keeps its mailbox (S5)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting(async (message, self) => {
        log.push(message);
        if (message === 'long') await untilAborted(self.signal);
      }),
    );
    ref.tell('long');
    ref.tell('queued');
    await untilIdle();

    const receipts = await ref.interrupt();
    await untilIdle();

    expect(receipts.map(({ stage }) => stage)).toEqual(['interrupted']);
    expect(log).toEqual(['long', 'queued']);
    expect(kernel.ledger()).toMatchObject({ processed: 2, deadLettered: 0, pending: 0 });
  });

  it('aborts the signal with a typed reason, and raises the flag (S2)', async () => {
    const { kernel, untilIdle } = testKernel();
    const seen: unknown[] = [];
    const ref = kernel.spawnInline(
      reacting(async (_message, self) => {
        seen.push(self.interrupted());
        await untilAborted(self.signal).catch((error: unknown) => seen.push(error));
        seen.push(self.interrupted());
      }),
    );
    ref.tell('go');
    await untilIdle();

    await ref.interrupt({ reason: 'enough' });

    expect(seen).toEqual([false, expect.any(TroupeError), true]);
    expect(seen[1]).toMatchObject({ code: 'interrupted', message: 'enough' });
  });

  it('hands each receive a fresh signal (S2)', async () => {
    const { kernel, untilIdle } = testKernel();
    const signals: AbortSignal[] = [];
    const ref = kernel.spawnInline(
      reacting(async (message, self) => {
        signals.push(self.signal);
        if (message === 'long') await untilAborted(self.signal);
      }),
    );
    for (const message of ['short', 'long', 'short']) ref.tell(message);
    await untilIdle();

    await ref.interrupt();
    await untilIdle();

    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false]);
  });

  it('does nothing to an actor between receives (S5)', async () => {
    const { kernel, untilIdle } = testKernel();
    const seen: boolean[] = [];
    const ref = kernel.spawnInline(reacting((_message, self) => seen.push(self.interrupted())));
    ref.tell(1);
    await untilIdle();

    const [receipt] = await ref.interrupt();
    ref.tell(2);
    await untilIdle();

    expect(receipt?.stage).toBe('completed');
    expect(seen).toEqual([false, false]);
  });

  it('yields the completion when the work had finished before (S9)', async () => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(reacting((_message, self) => self.reply('done')));

    const answer = ref.ask('work', { timeoutMs: 1_000 });
    await untilIdle();
    const [receipt] = await ref.interrupt();

    expect(await answer).toBe('done');
    expect(receipt?.stage).toBe('completed');
  });

  it('is no crash when the reason of a weaker signal is thrown after a stronger one came (S5)', async () => {
    const { kernel, clock, untilIdle } = testKernel();
    const exits: string[] = [];
    const slow = gate();
    const ref = kernel.spawnInline(
      reacting(async (_message, self) => {
        const { signal } = self;
        await slow.passed;
        signal.throwIfAborted();
      }),
    );
    ref.watch((exit) => exits.push(exit.reason));
    ref.tell('go');
    await untilIdle();

    const receipts = ref.interrupt();
    await clock.advance(2_000);
    slow.open();
    await untilIdle();

    expect(exits).toEqual(['interrupted']);
    expect((await receipts).map(({ stage }) => stage)).toEqual(['interrupted']);
  });

  it.each(['wrapped as a cause', 'as an AbortError'])(
    'knows its own reason %s (S5)',
    async (how) => {
      const { kernel, untilIdle } = testKernel();
      const ref = kernel.spawnInline(
        reacting(async (_message, self) => {
          await untilAborted(self.signal).catch((cause: unknown) => {
            if (how === 'as an AbortError') throw new DOMException('aborted', 'AbortError');
            throw new Error('the request failed', { cause });
          });
        }),
      );
      ref.tell('go');
      await untilIdle();

      const [receipt] = await ref.interrupt();

      expect(receipt?.stage).toBe('interrupted');
      expect(kernel.ledger()).toMatchObject({ processed: 1, deadLettered: 0 });
    },
  );

  it.each(['throws', 'returns'])('tells the asker of a receive that %s on it (M7)', async (how) => {
    const { kernel, untilIdle } = testKernel();
    const ref = kernel.spawnInline(
      reacting(async (_message, self) => {
        const aborted = untilAborted(self.signal);
        await (how === 'throws' ? aborted : aborted.catch(() => null));
      }),
    );
    const answer = ref.ask('work', { timeoutMs: 60_000 });
    answer.catch(() => null);
    await untilIdle();

    await ref.interrupt();

    await expect(answer).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('a stop', () => {
  it('cleans up once, with the last state, when it follows an interrupt of the same operation (S5)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(
      reacting((_message, self) => untilAborted(self.signal), {
        stopped: () => void log.push('stopped'),
      }),
    );
    ref.tell('go');
    await untilIdle();

    await ref.interrupt({ scope: 'agent' });

    expect(log).toEqual(['stopped']);
  });

  it('cleans up once when the receive itself ends the actor (S5)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(
      reacting((_message, self) => untilAborted(self.signal).catch(() => stop()), {
        stopped: () => void log.push('stopped'),
      }),
    );
    ref.tell('go');
    await untilIdle();

    await ref.interrupt({ scope: 'agent' });

    expect(log).toEqual(['stopped']);
  });

  it('cleans up once when the cleanup stops the actor itself (S5)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(
      reacting(() => stop(), {
        stopped: (self) => {
          log.push('stopped');
          self.stop(self.address);
        },
      }),
    );

    ref.tell('go');
    await untilIdle();

    expect(log).toEqual(['stopped']);
  });

  it('waits for an asynchronous start, then cleans up (S5)', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const started = gate();
    const log: string[] = [];
    const ref = on.kernel.spawnInline(
      reacting(() => null, { start: () => started.passed, stopped: () => void log.push('up') }),
    );
    on.kernel.router.watch(watcher.address, ref.address);

    const receipts = ref.stop();
    started.open();

    expect(await probe.expectExit()).toBe('stopped');
    expect((await receipts)[0]?.stage).toBe('not_started');
    expect(log).toEqual(['up']);
  });

  it('turns what was queued into dead letters (L2)', async () => {
    const { kernel, letters, untilIdle } = testKernel();
    const ref = kernel.spawnInline(reacting((_message, self) => untilAborted(self.signal)));
    for (const message of [1, 2, 3]) ref.tell(message);
    await untilIdle();

    await ref.stop();

    expect(letters.map(({ reason, wasAccepted }) => [reason, wasAccepted])).toEqual([
      ['stopped', true],
      ['stopped', true],
    ]);
  });

  it('is a crash when the cleanup throws (V4)', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const ref = on.kernel.spawnInline(
      reacting(() => null, {
        stopped: () => {
          throw new Error('cannot clean up');
        },
      }),
    );
    on.kernel.router.watch(watcher.address, ref.address);

    await ref.stop();

    expect(await probe.expectExit()).toBe('crashed');
  });
});
