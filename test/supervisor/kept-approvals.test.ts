// Checks for how long an answer holds, and what becomes of a call whose input a person changed.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  defineTool,
  type Hooks,
  type SupervisorOptions,
} from '#src/index.js';
import type { Script } from '#src/testing.js';
import { answered, gate, rejection, supervise, toolFixture, within } from './support.ts';

const note = defineTool({
  name: 'note',
  description: 'Keeps a note.',
  input: z.object({ text: z.string().default('nothing') }),
  needsApproval: true,
  run: ({ text }) => `noted ${text}`,
});

const tools = [note, toolFixture('careful')];

/** Runs of two turns, each of which calls these tools once. */
function twice(...names: readonly string[]): Script {
  const turn = { toolCalls: names.map((name) => ({ name, input: {} })) };
  return { default: [turn, turn, { text: 'done' }] };
}

function asking(
  script: Script,
  answer: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>,
  options: Partial<SupervisorOptions> = {},
) {
  const asked: string[] = [];
  const approve = (request: ApprovalRequest) => {
    asked.push(`${request.agent.name}: ${request.tool}`);
    return answer(request);
  };
  return { ...supervise(script, { tools, approve, ...options }), asked };
}

const isDone = async (outcome: Promise<{ status: string }>): Promise<void> => {
  expect((await within(outcome, 'the outcome')).status).toBe('completed');
};

describe('an answer', () => {
  it.each([
    [true, 4],
    [{ allow: 'once' } as const, 4],
    [{ allow: 'run' } as const, 2],
    [{ allow: 'always' } as const, 1],
  ])('%j to two runs of two calls leads to %i questions (V11)', async (answer, questions) => {
    for (const name of ['note', 'always']) {
      const { supervisor, model, asked, watch } = asking(twice(name), () => answer);

      await isDone(supervisor.delegate({ goal: 'a' }));
      await isDone(supervisor.delegate({ goal: 'b' }));

      expect(asked).toHaveLength(questions);
      expect(watch.of('approval_requested')).toHaveLength(questions);
      expect(answered(model).map(([, isError]) => isError)).toEqual([false]);
    }
  });

  it('is of one tool, and always of agents of one name (V11)', async () => {
    const { supervisor, asked } = asking(twice('note', 'always'), () => ({ allow: 'always' }), {
      agents: [{ name: 'one' }, { name: 'two' }],
    });

    await isDone(supervisor.delegate({ goal: 'a', agent: 'one' }));
    await isDone(supervisor.delegate({ goal: 'b', agent: 'one' }));
    await isDone(supervisor.delegate({ goal: 'c', agent: 'two' }));

    expect(asked.sort()).toEqual(['one: always', 'one: note', 'two: always', 'two: note']);
  });

  it('for a run is not one for the runs below it (V11)', async () => {
    const handOver = defineTool({
      name: 'hand_over',
      description: 'Hands over.',
      input: z.object({}),
      run: async (_, tool) => (await tool.delegate([{ goal: 'b', agent: 'child' }]))[0]?.text,
    });
    const use = (...names: string[]) => [
      ...names.map((name) => ({ toolCalls: [{ name, input: {} }] })),
      { text: 'done' },
    ];
    const { supervisor, asked } = asking(
      { agents: { boss: use('note', 'hand_over', 'note'), child: use('note', 'note') } },
      () => ({ allow: 'run' }),
      { tools: [note, handOver], agents: [{ name: 'boss' }, { name: 'child' }] },
    );

    await isDone(supervisor.delegate({ goal: 'a', agent: 'boss' }));

    expect(asked).toEqual(['boss: note', 'child: note']);
  });

  it.each(['run', 'always'] as const)(
    'that allows calls for longer (%s) answers those that wait already',
    async (allow) => {
      const signals: AbortSignal[] = [];
      const first = gate<ApprovalAnswer>();
      const { supervisor, model } = asking(
        { default: [{ toolCalls: Array(3).fill({ name: 'note', input: {} }) }, { text: 'done' }] },
        ({ signal }) => {
          signals.push(signal);
          return signals.length === 1 ? first.opened : new Promise(() => {});
        },
      );
      const handle = supervisor.start({ goal: 'a' });
      await expect.poll(() => signals.length, { timeout: 20_000 }).toBe(3);

      first.open({ allow });
      await isDone(handle.result());

      expect(answered(model)).toEqual(Array(3).fill(['noted nothing', false]));
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    },
  );

  it.each(['note', 'always'])(
    'for a run holds on where the run leaves its thread and comes back (%s; W1)',
    async (name) => {
      const { supervisor, model, watch, asked } = asking(twice(name), () => ({ allow: 'run' }), {
        threads: { max: 1, parking: 'always' },
      });

      await isDone(supervisor.delegate({ goal: 'a' }));

      expect(asked).toHaveLength(1);
      expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(2);
      expect(answered(model).map(([, isError]) => isError)).toEqual([false]);
    },
  );

  it('of a session holds in the session, or always', async () => {
    const answers: ApprovalAnswer[] = [{ allow: 'run' }, { allow: 'always' }];
    const { supervisor, asked } = asking({ default: [] }, () => answers.shift() ?? false);
    const call = async (id: string) => {
      const result = await within(supervisor.session(id).tools(note).call('note', {}), 'it');
      return result.content;
    };

    expect([await call('a'), await call('a')]).toEqual(['noted nothing', 'noted nothing']);
    expect([await call('b'), await call('b')]).toEqual(['noted nothing', 'noted nothing']);
    await within(supervisor.session('a').reset(), 'the reset');
    await within(supervisor.session('b').reset(), 'the reset');
    expect(await call('b')).toBe('noted nothing');
    expect(await call('a')).toMatch(/it was denied/);
    expect(asked).toEqual(['a: note', 'b: note', 'a: note']);
  });
});

describe('an input that a person changed', () => {
  const notice = (input: object) =>
    `A person changed the arguments of this call before it ran. It ran with: ${JSON.stringify(input)}\n\n`;

  it.each([{ max: 64 }, { max: 1, parking: 'always' }] as const)(
    'is what the tool runs with, on the host and in its thread, and the model is told (%j)',
    async (threads) => {
      const { supervisor, model } = asking(
        {
          default: [
            {
              toolCalls: [
                { name: 'note', input: { text: 'mine' } },
                { name: 'sometimes', input: { amount: 500 } },
              ],
            },
            { text: 'done' },
          ],
        },
        ({ tool }) => ({
          allow: 'once',
          input: tool === 'note' ? { text: 'yours' } : { amount: 200 },
        }),
        { threads },
      );

      await isDone(supervisor.delegate({ goal: 'a' }));

      expect(answered(model)).toEqual([
        [`${notice({ text: 'yours' })}noted yours`, false],
        [`${notice({ amount: 200 })}paid 200`, false],
      ]);
    },
  );

  it.each([{ max: 64 }, { max: 1, parking: 'always' }] as const)(
    'is what hooks after the tool are given (%j)',
    async (threads) => {
      const inputs: unknown[] = [];
      const { supervisor } = asking(
        {
          default: [
            { toolCalls: [{ name: 'note', input: {} }] },
            { toolCalls: [{ name: 'always', input: {} }] },
            { text: 'done' },
          ],
        },
        ({ tool }) => ({ allow: 'once', input: tool === 'note' ? { text: 'yours' } : { more: 1 } }),
        { threads },
      );
      const hooks: Hooks = {
        afterTool: ({ input }) => {
          inputs.push(input);
        },
      };

      await isDone(supervisor.delegate({ goal: 'a', hooks }));

      expect(inputs).toEqual([{ text: 'yours' }, { more: 1 }]);
    },
  );

  it('that does not fit the schema fails the call, and says that it is not the model’s fault', async () => {
    const { supervisor, model, watch } = asking(
      {
        default: [
          {
            toolCalls: [
              { name: 'note', input: {} },
              { name: 'sometimes', input: { amount: 500 } },
            ],
          },
          { text: 'done' },
        ],
      },
      ({ tool }) => ({ allow: 'once', input: tool === 'note' ? { text: 7 } : 'much' }),
    );

    await isDone(supervisor.delegate({ goal: 'a' }));

    const [first, second] = answered(model);
    expect(first?.[0]).toMatch(/A person changed the arguments of tool "note".*do not fit/);
    expect(first?.[0]).toMatch(/text/);
    expect(second?.[0]).toMatch(/A person changed the arguments of tool "sometimes"/);
    expect([first?.[1], second?.[1]]).toEqual([true, true]);
    expect(watch.of('tool_completed').map(({ failure }) => failure?.code)).toEqual([
      'tool_arguments_invalid',
      'tool_arguments_invalid',
    ]);
  });

  it('that is no plain data denies the call, and is an error for the service', async () => {
    const { supervisor, model, watch } = asking(
      { default: [{ toolCalls: [{ name: 'note', input: {} }] }, { text: 'done' }] },
      () => ({ allow: 'once', input: { text: () => 'x' } }),
    );

    await isDone(supervisor.delegate({ goal: 'a' }));

    expect(answered(model)[0]?.[0]).toMatch(/asking failed: its answer: input\.text is a function/);
    expect(watch.of('log')).toMatchObject([{ level: 'error' }]);
  });

  it('is shown in part where it is long, and leaves room for the result', async () => {
    const long = 'x'.repeat(5_000);
    const { supervisor, model } = asking(
      { default: [{ toolCalls: [{ name: 'note', input: {} }] }, { text: 'done' }] },
      () => ({ allow: 'once', input: { text: long } }),
    );

    await isDone(supervisor.delegate({ goal: 'a', maxResultChars: 600 }));

    const [text = ''] = answered(model)[0] ?? [];
    expect(text.length).toBeLessThanOrEqual(600);
    expect(text).toMatch(/^A person changed .*It ran with: \{"text":"x+[\s\S]*noted x+/);
  });
});

it('is misuse where an agent or a task is no object of patterns', async () => {
  const { supervisor } = supervise({ default: [] });
  const task = { goal: 'a', approval: ['note'] } as never;

  expect(await rejection(supervisor.delegate(task))).toMatchObject({
    code: 'invalid_task',
    message: expect.stringContaining('approval'),
  });
});
