// Checks that whatever is thrown, by whichever code of the program, is told in plain data and ends nothing else.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describe as inWords, reasonOf, TroupeError, toFailure } from '#src/base/failures.js';
import { defineTool } from '#src/tool.js';
import { answered, calls, supervise, turns, within } from './supervisor/support.ts';
import { unreadable } from './support/unreadable.ts';

const kinds = Object.entries(unreadable);

describe('a failure', () => {
  it.each(kinds)('is plain data when %s was thrown (O3)', (_kind, make) => {
    const failure = toFailure(make(), 'tool_failed');

    expect(failure).toMatchObject({ code: 'tool_failed', retryable: false });
    expect(failure.message).not.toBe('');
    expect(structuredClone(failure)).toEqual(failure);
    expect(JSON.parse(JSON.stringify(failure))).toMatchObject({ code: 'tool_failed' });
    expect(typeof reasonOf(make())).toBe('string');
    expect(typeof inWords(make())).toBe('string');
  });

  it('carries of its detail what is plain, and describes the rest (M6)', () => {
    const deep = Array.from({ length: 40 }).reduce<object>((below) => ({ below }), {});
    const detail = {
      count: 1n,
      act: function act() {},
      at: new Date(0),
      inner: new TroupeError('aborted', 'old', { detail: { tries: 2 } }),
      list: [Symbol('s'), new (class Socket {})()],
      api_key: 'sk-secret',
      many: Object.assign([], { length: 10_000_000 }),
      deep,
    };

    const { detail: shown } = toFailure(new TroupeError('refused', 'no', { detail }));

    expect(shown).toMatchObject({
      count: '1',
      act: 'function act',
      inner: { code: 'aborted', detail: { tries: 2 } },
      list: ['Symbol(s)', '{}'],
      api_key: '[key]',
    });
    expect(structuredClone(shown)).toEqual(shown);
    expect(JSON.stringify(shown).length).toBeLessThan(100_000);
  });

  it('shows of a value no more than it has room for, however large', () => {
    const shared = Array.from({ length: 60 }).reduce<object>(
      (below) => ({ a: below, b: below }),
      {},
    );

    expect(inWords(shared).length).toBeLessThan(200);
    expect(inWords(Object.assign([], { length: 4_000_000_000 })).length).toBeLessThan(200);
    expect(inWords(new Uint8Array(50_000_000))).toBe('[object Uint8Array]');
  });
});

describe('code of the program that throws the unreadable', () => {
  /** What is thrown now: where it can, one supervisor serves every kind. */
  let make: () => unknown = () => undefined;
  const thrower = (): never => {
    throw make();
  };
  /** Has the check made of each kind; the kind is in what it says. */
  async function ofEachKind(check: (kind: string) => Promise<void>): Promise<void> {
    for (const [kind, makeOne] of kinds) {
      make = makeOne;
      await check(kind);
    }
  }

  // A supervisor reports once that its logger fails: each kind needs one of its own.
  it.each(kinds)('is reported as a listener and as a logger: %s (O3)', async (_kind, makeOne) => {
    make = makeOne;
    const logger = { debug: thrower, info: thrower, warn: thrower, error: async () => thrower() };
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] }, { logger });
    supervisor.on('task_started', thrower);
    supervisor.on('task_completed', async () => thrower());

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');
    await turns();

    expect(outcome.exitReason).toBe('goal');
    expect(watch.of('log').map(({ message }) => message)).toEqual([
      'a listener of task_started failed',
      // The logger hears of the first, and is one too.
      'a listener of log failed',
      'a listener of task_completed failed',
    ]);
  });

  it('is an error result as a tool, and as an approver, whatever it throws (D20)', async () => {
    const make2 = (name: string, more: object) =>
      defineTool({ name, description: name, input: z.object({}), run: thrower, ...more });
    const { supervisor, model } = supervise(calls('a', 'b', 'c'), {
      approve: thrower,
      tools: [
        make2('a', {}),
        make2('b', { needsApproval: true }),
        make2('c', { needsApproval: thrower }),
      ],
    });

    await ofEachKind(async (kind) => {
      const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the outcome');

      expect(outcome.exitReason, kind).toBe('goal');
      const isError = answered(model).map((answer) => answer[1]);
      expect(isError, kind).toEqual([true, true, true]);
    });
  });

  it('fails its own run as a hook, and as a model, whatever it throws (D23)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done', repeat: true }] });

    await ofEachKind(async (kind) => {
      const outcomes = await within(
        supervisor.delegate([
          { goal: 'a', hooks: { beforeTurn: thrower } },
          { goal: 'b', hooks: { afterRun: thrower } },
          { goal: 'c', model: { id: 'mine', respond: thrower } },
          { goal: 'd', model: { id: 'mine', respond: async () => thrower() } },
          { goal: 'e' },
        ]),
        'the outcomes',
      );

      expect(
        outcomes.map(({ exitReason, error }) => [exitReason, error?.code]),
        kind,
      ).toEqual([
        ['error', 'hook_failed'],
        ['goal', 'hook_failed'],
        ['error', 'model_failed'],
        ['error', 'model_failed'],
        ['goal', undefined],
      ]);
    });
  });
});
