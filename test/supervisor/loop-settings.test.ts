// Checks how a run's loop may be set: tools that finish it, a closing message, whose setting holds.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { createSupervisor, defineTool } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { calls, inShort, rejection, supervise, watched, within } from './support.ts';

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
const answer = defineTool({
  name: 'answer',
  description: 'Answers.',
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});

function asks(...names: readonly string[]): ScriptStep {
  return { toolCalls: names.map((name) => ({ name, input: {} })) };
}
const looksForEver = { default: [{ ...asks('look'), text: 'looking', repeat: true as const }] };

describe('a finishing tool', () => {
  it('ends the run at once with its text, and not when it fails (D17)', async () => {
    const { supervisor, model } = supervise(
      {
        default: [
          { text: 'first', toolCalls: [{ name: 'answer', input: {} }] },
          { text: 'again', toolCalls: [{ name: 'answer', input: { text: '42' } }] },
        ],
      },
      { tools: [answer] },
    );

    const outcome = await within(
      supervisor.delegate({ goal: 'a', loop: { finishTools: ['answer'] } }),
      'the outcome',
    );

    expect(inShort(outcome)).toEqual(['goal', undefined, '42']);
    expect(model.requests()).toHaveLength(2);
  });

  it('has to be one that the agent has (D17)', async () => {
    const { supervisor, watch } = supervise(looksForEver, { tools: [look] });

    const error = await rejection(
      supervisor.delegate({ goal: 'a', loop: { finishTools: ['answer'] } }),
    );

    expect(error).toMatchObject({
      code: 'unknown_tool',
      message: expect.stringContaining('"answer"'),
    });
    expect(watch.of('task_queued')).toEqual([]);
  });
});

describe('a choice of tools', () => {
  it('is sent with every request of the run, the task’s before its definition’s (D19)', async () => {
    const { supervisor, model } = supervise(
      { default: [asks('look'), { text: 'done' }], agents: { a: [{ text: 'done' }] } },
      { tools: [look], agents: [{ name: 'a', toolChoice: 'required' }] },
    );

    await within(supervisor.delegate({ goal: 'a', toolChoice: { tool: 'look' } }), 'the outcome');
    await within(supervisor.delegate({ goal: 'a', agent: 'a', toolChoice: 'none' }), 'the outcome');

    const choices = model.requests().map(({ settings }) => settings?.toolChoice);
    expect(choices).toEqual([{ tool: 'look' }, { tool: 'look' }, 'none']);
  });

  it('of one tool has to name one that the agent has (D19)', async () => {
    const { supervisor, model } = supervise(
      { default: [{ toolCalls: [{ name: 'generate_response', input: { found: 3 } }] }] },
      { tools: [look, fail] },
    );
    const outputSchema = z.object({ found: z.number() });

    expect(
      await rejection(
        supervisor.delegate({ goal: 'a', tools: ['look'], toolChoice: { tool: 'fail' } }),
      ),
    ).toMatchObject({ code: 'unknown_tool', message: expect.stringContaining('"fail"') });
    const answering = { goal: 'a', outputSchema, toolChoice: { tool: 'generate_response' } };
    const outcome = await within(supervisor.delegate(answering), 'the outcome');

    expect(outcome.structured).toEqual({ found: 3 });
    expect(model.requests()).toHaveLength(1);
  });

  it('is refused at the door when it is none', () => {
    const { supervisor } = supervise({ default: [] });

    // @ts-expect-error: no such choice
    expect(() => supervisor.start({ goal: 'a', toolChoice: 'any' })).toThrow(
      expect.objectContaining({
        code: 'invalid_task',
        message: expect.stringContaining('toolChoice'),
      }),
    );
  });
});

describe('a summary turn', () => {
  const loop = { summaryTurn: true };
  const limited = { goal: 'a', maxTurns: 2, loop };

  it('is one call more, whose text closes the run that used its turns up (D18)', async () => {
    const { supervisor, model } = supervise(
      { default: [asks('look'), asks('look'), { ...asks('look'), text: 'So far: nothing.' }] },
      { tools: [look] },
    );

    const outcome = await within(supervisor.delegate(limited), 'the outcome');

    expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'So far: nothing.']);
    expect(outcome).toMatchObject({ turns: 3, toolCalls: 2 });
    expect(model.requests()).toHaveLength(3);
    expect(model.requests()[2]?.messages.at(-1)?.content).toMatchObject([{ type: 'text' }]);
  });

  it('offers no choice of tools, and asks once more when the model calls one all the same (D18)', async () => {
    const { supervisor, model } = supervise(
      { default: [asks('look'), asks('look'), asks('look'), { text: 'Nothing was found.' }] },
      { tools: [look] },
    );

    const outcome = await within(supervisor.delegate(limited), 'the outcome');

    expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'Nothing was found.']);
    expect(outcome).toMatchObject({ turns: 4, toolCalls: 2 });
    const choices = model.requests().map(({ settings }) => settings?.toolChoice);
    expect(choices).toEqual([undefined, undefined, 'none', 'none']);
    expect(JSON.stringify(model.requests()[3]?.messages)).toContain('was not run');
  });

  it.each([
    ['at once, last', true, ['look', 'answer']],
    ['at once, first', true, ['answer', 'look']],
    ['in turn, last', false, ['look', 'answer']],
    ['in turn, first', false, ['answer', 'look']],
  ])(
    'takes an answer by schema in the closing message, called %s, and runs nothing else (D18, D19)',
    async (_how, parallelToolCalls, names) => {
      const called = {
        answer: { name: 'generate_response', input: { found: 3 } },
        look: { name: 'look', input: {} },
      };
      const last = { toolCalls: names.map((name) => called[name as keyof typeof called]) };
      const { supervisor, model } = supervise(
        { default: [asks('look'), asks('look'), last] },
        { tools: [look] },
      );
      const handle = supervisor.start({
        ...limited,
        loop: { ...loop, parallelToolCalls },
        outputSchema: z.object({ found: z.number() }),
      });

      const outcome = await within(handle.result(), 'the outcome');

      expect(outcome).toMatchObject({ exitReason: 'goal', structured: { found: 3 }, turns: 3 });
      expect(outcome.toolCalls).toBe(3);
      expect(pairingFault(supervisor.transcript(handle.id))).toBeNull();
      const [, , closing] = model.requests();
      expect(closing?.settings?.toolChoice).toBe('auto');
      expect(JSON.stringify(closing?.messages.at(-1))).toContain('generate_response');
    },
  );

  it('asks an API without a choice of tools for its closing message as it is (D18)', async () => {
    const { model } = supervise({ default: [asks('look'), { text: 'Nothing was found.' }] });
    const refusing = Object.assign(model, { refusedSettings: ['toolChoice'] as const });
    const { supervisor } = watched(createSupervisor({ model: refusing, tools: [look] }));

    const outcome = await within(supervisor.delegate({ ...limited, maxTurns: 1 }), 'the outcome');

    expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'Nothing was found.']);
    expect(model.requests().map(({ settings }) => settings?.toolChoice)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('asks once more for an answer that did not fit, or that was only told (D18, D19)', async () => {
    const wrong = { toolCalls: [{ name: 'generate_response', input: { found: 'three' } }] };
    const right = { toolCalls: [{ name: 'generate_response', input: { found: 3 } }] };
    const task = { ...limited, maxTurns: 1, outputSchema: z.object({ found: z.number() }) };
    const { supervisor } = supervise(
      {
        agents: {
          late: [asks('look'), wrong, right],
          textOnly: [asks('look'), { text: 'Three.' }, right],
          never: [asks('look'), { text: 'Three.' }, { text: 'Three, I said.' }],
        },
      },
      { tools: [look], agents: [{ name: 'late' }, { name: 'textOnly' }, { name: 'never' }] },
    );

    const outcomes = await within(
      supervisor.delegate(['late', 'textOnly', 'never'].map((agent) => ({ ...task, agent }))),
      'the outcomes',
    );

    expect(outcomes.map(({ exitReason, structured }) => [exitReason, structured])).toEqual([
      ['goal', { found: 3 }],
      ['goal', { found: 3 }],
      ['max_turns', undefined],
    ]);
    expect(outcomes[2]?.text).toBe('Three, I said.');
  });

  it('is none when the run ended with a message of its own (D18)', async () => {
    const { supervisor, model } = supervise(calls('look'), { tools: [look] });

    const outcome = await within(supervisor.delegate(limited), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(model.requests()).toHaveLength(2);
  });

  it('that fails is said beside the end of the turns (D23)', async () => {
    const { supervisor } = supervise(
      { default: [asks('look'), asks('look'), { throw: { status: 400, message: 'too long' } }] },
      { tools: [look] },
    );

    const outcome = await within(supervisor.delegate(limited), 'the outcome');

    expect(outcome).toMatchObject({
      exitReason: 'max_turns',
      error: { code: 'max_turns', detail: { summary: { code: 'model_bad_request' } } },
    });
  });

  it('that is interrupted ends the run interrupted (S5)', async () => {
    const { supervisor, watch } = supervise(
      { default: [asks('look'), asks('look'), { hang: true }] },
      { tools: [look] },
    );
    const handle = supervisor.start(limited);
    await watch.next('turn_started', ({ turn }) => turn === 3);

    await within(handle.interrupt(), 'the receipts');

    expect(await handle.result()).toMatchObject({ exitReason: 'interrupted', turns: 3 });
  });

  it('is a setting of a definition, and of a task that wins setting by setting', async () => {
    const agent = { name: 'looker', loop: { ...loop, allFailedText: 'No.' } };
    const script = { agents: { looker: [asks('silent'), { text: 'done' }] } };
    const silent = defineTool({
      name: 'silent',
      description: 'Fails without a word.',
      input: z.object({}),
      run() {
        throw new Error('');
      },
    });
    const { supervisor, model } = supervise(script, { tools: [silent], agents: [agent] });

    await within(
      supervisor.delegate({
        goal: 'a',
        agent: 'looker',
        maxTurns: 1,
        loop: { summaryTurn: false },
      }),
      'the outcome',
    );
    await within(supervisor.delegate({ goal: 'a', agent: 'looker', maxTurns: 1 }), 'the outcome');

    expect(model.requests()).toHaveLength(3);
    expect(JSON.stringify(model.requests()[2]?.messages)).toContain('"No."');
  });

  it('refuses a setting that there is none of', async () => {
    const { supervisor } = supervise({ default: [] });

    // Refused for its value: the type would not let it pass.
    const bad = { goal: 'a', loop: { summary: true } as never };
    expect(await rejection(supervisor.delegate(bad))).toMatchObject({
      code: 'invalid_task',
      message: expect.stringContaining('loop.summary'),
    });
  });
});
