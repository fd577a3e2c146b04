// Checks one receive at a time, its crash, and what is left when an activation is over (M1, V1).
import { describe, expect, it } from 'vitest';
import { behavior, next, stop } from '#src/actor/behavior.js';
import { gate, reacting, spawnProbe, testKernel } from '../support/kernel.ts';

describe('a receive', () => {
  it('runs to completion, awaits included, before the next one begins (M1)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: string[] = [];
    const first = gate();
    const ref = kernel.spawnInline(
      reacting(async (message) => {
        log.push(`begin ${message}`);
        if (message === 1) await first.passed;
        log.push(`end ${message}`);
      }),
    );

    ref.tell(1);
    ref.tell(2);
    await untilIdle();
    expect(log).toEqual(['begin 1']);
    first.open();
    await untilIdle();

    expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  it('is not re-entered by a message to oneself (M1)', async () => {
    const { kernel, untilIdle } = testKernel();
    const log: string[] = [];
    const ref = kernel.spawnInline(
      reacting((message, self) => {
        log.push(`begin ${message}`);
        if (message === 'outer') self.tell(self.address, 'inner');
        log.push(`end ${message}`);
      }),
    );

    ref.tell('outer');
    await untilIdle();

    expect(log).toEqual(['begin outer', 'end outer', 'begin inner', 'end inner']);
  });

  it('keeps the state of one receive for the next (M1)', async () => {
    const { kernel } = testKernel();
    const counter = behavior<number, 'add' | 'get'>({
      start: () => 0,
      receive: (count, message, self) => {
        if (message === 'add') return next(count + 1);
        self.reply(count);
        return next(count);
      },
    });
    const ref = kernel.spawnInline<'add' | 'get'>(counter);

    for (let at = 0; at < 200; at += 1) ref.tell('add');

    expect(await ref.ask('get', { timeoutMs: 1_000 })).toBe(200);
  });

  it('leaves no actor behind while one never stops talking to itself (M1)', async () => {
    const { kernel, untilIdle } = testKernel();
    let turns = 0;
    const chatter = kernel.spawnInline(
      reacting((_message, self) => {
        turns += 1;
        self.tell(self.address, 'again');
      }),
    );
    const quiet = kernel.spawnInline(reacting((_message, self) => self.reply('here')));

    chatter.tell('go');
    const answer = await quiet.ask('anybody?', { timeoutMs: 1_000 });
    const turnsWhenAnswered = turns;
    await chatter.kill();
    await untilIdle();

    expect(answer).toBe('here');
    expect(turnsWhenAnswered).toBeLessThan(1_000_000);
  });

  it('ends the actor normally after stop(), cleaning up once', async () => {
    const on = testKernel();
    const { probe, ref: watcher } = spawnProbe(on);
    const log: string[] = [];
    const ref = on.kernel.spawnInline(
      reacting(() => stop(), { stopped: () => void log.push('up') }),
    );
    on.kernel.router.watch(watcher.address, ref.address);

    ref.tell('go');

    expect(await probe.expectExit()).toBe('normal');
    expect(log).toEqual(['up']);
  });

  it.each([
    { what: 'nothing', result: undefined },
    { what: 'a number', result: 7 },
    { what: 'an unknown type', result: { type: 'maybe' } },
  ])('crashes the actor when it returns $what (V1)', async ({ result }) => {
    const { kernel, untilIdle } = testKernel();
    const exits: unknown[] = [];
    const ref = kernel.spawnInline(
      behavior<null>({ start: () => null, receive: () => result as never }),
    );
    ref.watch((exit) => exits.push(exit));

    ref.tell('go');
    await untilIdle();

    expect(exits).toEqual([
      {
        reason: 'crashed',
        failure: expect.objectContaining({
          code: 'crashed',
          message: expect.stringContaining('expected next(state) or stop()'),
        }),
      },
    ]);
  });

  it.each(['throws', 'rejects'])(
    'crashes the actor when it %s, and tells why (V1)',
    async (how) => {
      const { kernel, untilIdle } = testKernel();
      const exits: unknown[] = [];
      const ref = kernel.spawnInline(
        reacting(() => {
          if (how === 'rejects') return Promise.reject(new RangeError('boom'));
          throw new RangeError('boom');
        }),
      );
      ref.watch((exit) => exits.push(exit));

      ref.tell('go');
      await untilIdle();

      const stack = expect.stringMatching(/^RangeError: boom\n {4}at .*receive\.test\.ts/s);
      const expected = { code: 'crashed', message: 'RangeError: boom', retryable: false };
      expect(exits).toEqual([{ reason: 'crashed', failure: { ...expected, detail: { stack } } }]);
    },
  );

  it('leaves every other actor alone when one crashes (V1)', async () => {
    const { kernel, untilIdle } = testKernel();
    const bad = kernel.spawnInline(
      reacting(() => {
        throw new Error('boom');
      }),
    );
    const good = kernel.spawnInline(reacting((_message, self) => self.reply('fine')));

    bad.tell('go');
    await untilIdle();

    expect(await good.ask('how are you?', { timeoutMs: 1_000 })).toBe('fine');
  });
});

describe('a handle whose activation is over', () => {
  it('refuses every effect with life_ended and says that it was interrupted', async () => {
    const { kernel, untilIdle } = testKernel();
    const leaked = gate<Parameters<Parameters<typeof reacting>[0]>[1]>();
    const ref = kernel.spawnInline(reacting((_message, self) => leaked.open(self)));
    ref.tell('go');
    const self = await leaked.passed;
    await ref.kill();
    await untilIdle();
    const ended = expect.objectContaining({ code: 'activation_ended' });

    expect(() => self.tell(self.address, 1)).toThrow(ended);
    expect(() => self.reply(1)).toThrow(ended);
    expect(() => self.takeReply()).toThrow(ended);
    expect(() => self.stop(self.address)).toThrow(ended);
    expect(() => self.watch(self.address)).toThrow(ended);
    expect(() => self.unwatch(self.address)).toThrow(ended);
    expect(() => self.stash()).toThrow(ended);
    expect(() => self.unstashAll()).toThrow(ended);
    expect(() => self.commit(1)).toThrow(ended);
    expect(() => self.after(1, 1)).toThrow(ended);
    expect(() => self.publish(1)).toThrow(ended);
    await expect(self.ask(self.address, 1, { timeoutMs: 1 })).rejects.toThrow(ended);
    await expect(self.offer(self.address, 1, { timeoutMs: 1 })).rejects.toThrow(ended);
    await expect(self.spawn('nothing')).rejects.toThrow(ended);
    expect(self.interrupted()).toBe(true);
  });
});
