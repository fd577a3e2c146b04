// Checks hooks that throw, hang, spin or are wrong, and what hooks hear of failures: on real threads.
import { describe, expect, it } from 'vitest';
import type { Hooks } from '#src/index.js';
import { greets, hookFixture, namesIn, recorder, tools } from './hook-support.ts';
import {
  answered,
  calls,
  gate,
  inShort,
  rejection,
  supervise,
  superviseInManualTime,
  within,
} from './support.ts';

describe('hooks that fail', () => {
  it.each(['beforeRun', 'beforeTurn', 'afterTurn', 'beforeTool', 'afterTool'] as const)(
    'end the run when %s throws, naming it, once its siblings have settled (D23, D20)',
    async (name) => {
      const ends: unknown[] = [];
      const { supervisor, model } = supervise(
        calls(['greet', { name: 'Ada' }], ['greet', { name: 'Bob' }]),
        { tools },
      );
      const hooks: Hooks = {
        [name]: () => Promise.reject(new Error('boom')),
        afterRun: ({ exitReason, error }) => ends.push([exitReason, error?.code]),
      };

      const outcome = await within(supervisor.delegate({ goal: 'a', hooks }), 'the outcome');

      expect(outcome).toMatchObject({
        status: 'failed',
        exitReason: 'error',
        error: {
          code: 'hook_failed',
          message: `hook ${name} failed: boom`,
          detail: { hook: name },
        },
      });
      expect(ends).toEqual([['error', 'hook_failed']]);
      expect(model.requests().length).toBeLessThan(2);
      const open = outcome.partial?.toolTrace.filter(({ status }) => status === 'running');
      expect(open).toEqual([]);
    },
  );

  it('name a hook that throws in the thread, and one that answers what it may not (D23)', async () => {
    const { supervisor } = supervise(greets, { tools });

    const thrown = supervisor.delegate({ goal: 'a', hooks: hookFixture('throws') });
    const odd = supervisor.delegate({ goal: 'a', hooks: { beforeRun: () => 'no' as never } });

    expect((await within(thrown, 'the outcome')).error?.message).toBe(
      'hook beforeRun failed: boom in the thread',
    );
    expect((await within(odd, 'the outcome')).error?.message).toBe(
      'hook beforeRun failed: it answered "no", expected nothing or { deny }',
    );
  });

  it('leave the end as it is when afterRun throws, which is told (D23)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] });
    const throwing: Hooks = { afterRun: () => Promise.reject(new Error('boom')) };
    const log: unknown[][] = [];

    const outcome = await within(
      supervisor.delegate({ goal: 'a', hooks: [throwing, recorder(log)] }),
      'the outcome',
    );

    expect(inShort(outcome)).toEqual(['goal', 'hook_failed', 'done']);
    expect(watch.of('log')).toMatchObject([
      { level: 'error', failure: { code: 'hook_failed', detail: { hook: 'afterRun' } } },
    ]);
    expect(namesIn(log)).toContain('afterRun');
  });

  it('hear of failures of models and of tools (D23)', async () => {
    const log: unknown[][] = [];
    const { supervisor } = supervise(
      {
        default: [
          { toolCalls: [{ name: 'fail', input: {} }] },
          { throw: { status: 400, message: 'bad' } },
        ],
      },
      { tools },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'a', hooks: recorder(log) }),
      'the outcome',
    );

    expect(outcome.error?.code).toBe('model_bad_request');
    expect(log.find(([name]) => name === 'afterTool')).toMatchObject([
      'afterTool',
      { isError: true, failure: { code: 'tool_failed' } },
    ]);
    expect(log.at(-1)).toMatchObject([
      'afterRun',
      { exitReason: 'error', error: { code: 'model_bad_request' } },
    ]);
  });

  it('are given up with an interrupt while a hook of the service waits, which sees its signal (S2)', async () => {
    const waits = gate();
    const seen = gate<unknown>();
    const ends: unknown[] = [];
    const hooks: Hooks = {
      beforeTurn: (_turn, { signal }) => {
        signal.addEventListener('abort', () => seen.open(signal.aborted), { once: true });
        waits.open();
        return new Promise(() => {});
      },
      afterRun: ({ exitReason, error }) => ends.push([exitReason, error?.message]),
    };
    const { supervisor, model } = supervise(greets, { tools });
    const handle = supervisor.start({ goal: 'a', hooks });
    await within(waits.opened, 'the hook');

    const receipts = await within(handle.interrupt({ reason: 'enough' }), 'the receipts');
    const outcome = await within(handle.result(), 'the outcome');

    expect(receipts[0]?.stage).toBe('interrupted');
    expect(inShort(outcome)).toEqual(['interrupted', 'interrupted', '']);
    expect(await within(seen.opened, 'the signal')).toBe(true);
    expect(ends).toEqual([['interrupted', 'enough']]);
    expect(model.requests()).toEqual([]);
  });

  it('are killed with their thread when they spin; the service hears of the end (S3, D23)', async () => {
    const ends: unknown[] = [];
    const called = gate();
    const afterRun: Hooks = {
      afterRun: ({ exitReason }) => {
        ends.push(exitReason);
        called.open();
      },
    };
    const { supervisor, watch } = supervise(greets, {
      tools,
      timeouts: { interruptGraceMs: 50, stopGraceMs: 50 },
    });
    const handle = supervisor.start({ goal: 'a', hooks: [hookFixture('spins'), afterRun] });
    await watch.next('tool_started');

    const receipts = await within(handle.interrupt(), 'the receipts');
    const outcome = await within(handle.result(), 'the outcome');
    await within(called.opened, 'the hook');

    expect(receipts[0]?.stage).toBe('killed');
    expect(inShort(outcome)).toEqual(['killed', 'interrupted', 'calling']);
    expect(ends).toEqual(['killed']);
  });

  it.each(['greet', 'echo'])(
    'are given up by the clock of the call they stand before (%s) (V8)',
    async (name) => {
      const { supervisor, model, watch, clock } = superviseInManualTime(
        calls([name, { name: 'Ada', text: 'hi' }]),
        { tools, timeouts: { toolTimeoutMs: 500 } },
      );
      const handle = supervisor.start({ goal: 'a', hooks: hookFixture('waits') });
      await watch.next('tool_started');

      await clock.advance(500);
      await within(handle.result(), 'the outcome');

      expect(answered(model)).toEqual([['the tool took longer than 500 ms', true]]);
    },
  );

  it('tell afterRun of the timeout that ended the run (V8)', async () => {
    const ends: unknown[] = [];
    const waits = gate();
    const { supervisor, clock } = superviseInManualTime(greets, {
      tools,
      timeouts: { idleTimeoutMs: 1_000 },
    });
    const hooks: Hooks = {
      afterTurn: () => {
        waits.open();
        return new Promise(() => {});
      },
      afterRun: ({ exitReason }) => ends.push(exitReason),
    };
    const handle = supervisor.start({ goal: 'a', hooks });
    await within(waits.opened, 'the hook');

    await clock.advance(1_000);

    expect((await within(handle.result(), 'the outcome')).exitReason).toBe('idle_timeout');
    expect(ends).toEqual(['idle_timeout']);
  });
});

describe('hooks that are wrong', () => {
  it.each([
    [{ beforRun() {} }, 'hooks.beforRun is function beforRun: there is no such hook'],
    [{ beforeRun: 5 }, 'hooks.beforeRun is 5: expected a function'],
    ['text', 'hooks is "text": expected an object of hooks, or the URL of a module'],
    [[{}, { afterRun: null }], 'hooks.1.afterRun is null: expected a function'],
  ])('are refused with their field before anything starts (%j)', async (hooks, why) => {
    const { supervisor, watch } = supervise(greets);
    const wrong = hooks as never;

    const task = await rejection(supervisor.delegate({ goal: 'a', hooks: wrong }));
    const agent = await rejection(supervisor.spawn({ name: 'a', hooks: wrong }));

    expect(task).toMatchObject({ code: 'invalid_task', message: expect.stringContaining(why) });
    expect(agent).toMatchObject({ code: 'invalid_agent', message: expect.stringContaining(why) });
    expect(watch.events).toEqual([]);
  });

  it.each([
    ['no-hooks', 'exports no hooks, as hooks or as its default; it exports ["nothing"]'],
    ['misspelt', 'hooks.beforRun: there is no such hook'],
    ['not-there', 'could not be loaded'],
  ])('in a module reject tool_module_failed, and nothing starts (%s)', async (name, why) => {
    const { supervisor, watch } = supervise(greets);

    const error = await rejection(
      within(supervisor.delegate({ goal: 'a', hooks: hookFixture(name) }), 'the refusal'),
    );

    expect(error).toMatchObject({
      code: 'tool_module_failed',
      message: expect.stringContaining(why),
    });
    expect(watch.of('task_queued')).toEqual([]);
  });
});
