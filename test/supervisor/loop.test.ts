// Checks the loop of turns from outside: how many there are, what ends them, what the model is told between them.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { createSupervisor, defineTool, type Model } from '#src/index.js';
import { ManualClock, type ScriptStep } from '#src/testing.js';
import {
  answered,
  calls,
  gate,
  inShort,
  supervise,
  superviseInManualTime,
  watched,
  within,
} from './support.ts';

const nothing = z.object({});
const look = defineTool({ name: 'look', description: 'Looks.', input: nothing, run: () => 'seen' });
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  input: nothing,
  run() {
    throw new Error('no such page');
  },
});

function asks(...names: readonly string[]): ScriptStep {
  return { toolCalls: names.map((name) => ({ name, input: {} })) };
}
const looksForEver = { default: [{ ...asks('look'), text: 'looking', repeat: true as const }] };

describe('turns', () => {
  it.each([1, 7, 30, 50])(
    'call a looping model exactly %i times where that is maxTurns (B24, C19, E6, X9)',
    async (maxTurns) => {
      const { supervisor, model } = supervise(looksForEver, { tools: [look] });

      const outcome = await within(supervisor.delegate({ goal: 'a', maxTurns }), 'the outcome');

      expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'looking']);
      expect(model.requests()).toHaveLength(maxTurns);
      expect(outcome.turns).toBe(maxTurns);
    },
  );

  it('are fifty by default (C19)', async () => {
    const { supervisor, model } = supervise(looksForEver, { tools: [look] });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(model.requests()).toHaveLength(50);
  });

  it('end with the first response that asks for no tool (E8)', async () => {
    const { supervisor, model } = supervise(calls('look'), { tools: [look] });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.text).toBe('done');
    expect(model.requests()).toHaveLength(2);
    model.assertConsumed();
  });

  it('answer all their calls in one user message, in order, each with its id (E9)', async () => {
    const { supervisor, model } = supervise(
      { default: [asks('look', 'fail', 'look'), { text: 'done' }] },
      { tools: [look, fail] },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    const [, asked, results, ...rest] = model.requests()[1]?.messages ?? [];
    expect(rest).toEqual([]);
    const ids = asked?.content.map((block) => (block.type === 'tool_use' ? block.id : null));
    expect(results?.role).toBe('user');
    expect(
      results?.content.map((block) => (block.type === 'tool_result' ? block.tool_use_id : null)),
    ).toEqual(ids);
  });

  it('begin with their input on record, before the model has answered (D14)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] });
    const handle = supervisor.start({ goal: 'Read this.' });
    await watch.next('turn_started');

    expect(supervisor.transcript(handle.id)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Read this.' }] },
    ]);
  });

  it('swallow no error: a tool’s is an event, a model’s is the outcome (D23)', async () => {
    const { supervisor, watch } = supervise(
      { default: [asks('fail'), { throw: { status: 400, message: 'bad prompt' } }] },
      { tools: [fail] },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(watch.of('tool_completed')).toMatchObject([
      { isError: true, failure: { code: 'tool_failed' } },
    ]);
    expect(outcome).toMatchObject({
      exitReason: 'error',
      error: { code: 'model_bad_request', message: expect.stringContaining('bad prompt') },
      partial: { toolTrace: [{ name: 'fail', status: 'failed' }] },
    });
  });
});

describe('a late answer', () => {
  it('ends total_timeout, and its calls are not run (B23)', async () => {
    const { supervisor, watch, clock } = superviseInManualTime(
      { default: [{ ...asks('look'), delayMs: 2_000 }] },
      { tools: [look], timeouts: { totalTimeoutMs: 1_000 } },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');

    await clock.advance(2_000);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      status: 'timeout',
      exitReason: 'total_timeout',
      turns: 1,
      toolCalls: 0,
    });
    expect(watch.of('tool_started')).toEqual([]);
  });

  it('is not acted on either when its model answers all the same (B23)', async () => {
    const ran: string[] = [];
    const noteTool = defineTool({
      name: 'note',
      description: 'Leaves a trace.',
      input: nothing,
      run: () => ran.push('note'),
    });
    const aborted = gate();
    /** Answers the moment it is told to stop. */
    const stubborn: Model = {
      id: 'stubborn',
      respond: (_request, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({
              content: [{ type: 'tool_use', id: 'c1', name: 'note', input: {} }],
              stopReason: 'tool_use',
              usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
              isEstimated: true,
              model: 'stubborn',
            });
            aborted.open();
          });
        }),
    };
    const clock = new ManualClock();
    const { supervisor, watch } = watched(
      createSupervisor({
        model: stubborn,
        clock,
        tools: [noteTool],
        timeouts: { totalTimeoutMs: 1_000 },
      }),
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');

    await clock.advance(1_000);
    await within(aborted.opened, 'the abort');

    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      exitReason: 'total_timeout',
    });
    expect(ran).toEqual([]);
  });
});

describe('a turn whose calls all failed', () => {
  const allFailedText = 'All calls failed. Try another way.';
  const silent = defineTool({
    name: 'silent',
    description: 'Fails without a word.',
    input: nothing,
    run() {
      throw new Error('');
    },
  });

  it('is answered with one generic text more where none says why and that is set (B28)', async () => {
    const script = { default: [asks('silent', 'silent'), { text: 'done' }] };
    const { supervisor, model } = supervise(script, { tools: [silent] });

    await within(supervisor.delegate({ goal: 'a', loop: { allFailedText } }), 'the outcome');

    const messages = model.requests()[1]?.messages ?? [];
    expect(messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: 'The call failed.' },
      { is_error: true, content: 'The call failed.' },
      { type: 'text', text: allFailedText },
    ]);
    expect(pairingFault(messages)).toBeNull();
    expect(answered(model)).toHaveLength(2);

    const plain = supervise(script, { tools: [silent] });
    await within(plain.supervisor.delegate({ goal: 'a' }), 'the outcome');
    expect(plain.model.requests()[1]?.messages.at(-1)?.content).toHaveLength(2);
  });

  it.each([[['fail', 'silent', 'nowhere']], [['fail']], [['fail', 'look']], [['silent', 'look']]])(
    'tells of %j why each failed, and nothing more (B27, B28)',
    async (names) => {
      const answers: Readonly<Record<string, readonly [string, boolean]>> = {
        fail: ['Tool "fail" failed: no such page', true],
        silent: ['The call failed.', true],
        nowhere: ['There is no tool "nowhere" here. Your tools: fail, silent, look.', true],
        look: ['seen', false],
      };
      for (const loop of [{ allFailedText }, {}]) {
        const script = { default: [asks(...names), { text: 'done' }] };
        const { supervisor, model } = supervise(script, { tools: [fail, silent, look] });

        await within(supervisor.delegate({ goal: 'a', loop }), 'the outcome');

        expect(answered(model)).toEqual(names.map((name) => answers[name]));
        expect(model.requests()[1]?.messages.at(-1)?.content).toHaveLength(names.length);
      }
    },
  );
});
