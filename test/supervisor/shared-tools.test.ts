// Checks tools that are named in more than one place, names that two have, and what generators among them come to.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor, defineTool, type SupervisorOptions } from '#src/index.js';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const named = (name: string, answer = name) =>
  defineTool({ name, description: name, input: z.object({}), run: () => answer });
const [look, read, write] = [named('look'), named('read_it'), named('write_it')];
const toolsets = [
  { name: 'reading', description: 'Reads.', tools: [look, read] },
  { name: 'writing', description: 'Writes.', tools: [look, write] },
];

describe('a tool of several toolsets', () => {
  it.each([
    [{ toolsets: ['reading', 'writing'] }, ['look', 'read_it', 'write_it']],
    [{ toolsets: ['writing'] }, ['look', 'write_it']],
    [{ toolsets: ['reading', 'writing'], disallowedTools: ['look'] }, ['read_it', 'write_it']],
    [{ toolsets: ['reading'], tools: ['look'] }, ['look', 'read_it']],
    [{ toolsets: ['reading'], tools: [look] }, ['look', 'read_it']],
  ])('is had once by %j (C14)', async (task, expected) => {
    const { supervisor, model } = supervise(calls('look'), { toolsets });

    const outcome = await within(supervisor.delegate({ goal: 'a', ...task }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed' });
    expect(model.requests()[0]?.tools.map(({ name }) => name)).toEqual(expected);
    expect(answered(model)[0]?.[1]).toBe(!expected.includes('look'));
  });

  it('is had by a child of a model in the tree, and of one that is registered beside (C14, X7)', async () => {
    const child = { goal: 'b', toolsets: ['reading', 'writing'] };
    const { supervisor, model } = supervise(
      {
        agents: {
          boss: [{ toolCalls: [{ name: 'delegate_task', input: child }] }, { text: 'ok' }],
        },
        default: [{ text: 'done' }],
      },
      {
        toolsets,
        tools: [look, delegateTaskTool()],
        agents: [{ name: 'boss', toolsets: ['reading', 'writing'] }],
      },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'boss' }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed' });
    const [boss, inner] = model.requests().map(({ tools }) => tools.map(({ name }) => name));
    expect(boss).toEqual(['look', 'delegate_task', 'read_it', 'write_it']);
    expect(inner).toEqual(expect.arrayContaining(['look', 'read_it', 'write_it']));
  });

  it('is another one when only its name is the same (C14)', async () => {
    const other = { name: 'other', description: 'Other.', tools: [named('look')] };
    const { supervisor } = supervise({ default: [] }, { toolsets: [...toolsets, other] });

    const both = supervisor.delegate({ goal: 'a', toolsets: ['reading', 'other'] });

    await expect(within(both, 'the refusal')).rejects.toMatchObject({ code: 'invalid_tool' });
  });
});

describe('createSupervisor', () => {
  it.each<[string, Partial<SupervisorOptions>, string, RegExp]>([
    ['tools', { tools: [look, named('look')] }, 'invalid_tool', /^tools: two are named "look"/],
    [
      'tools of a toolset',
      { toolsets: [{ name: 'pair', description: 'Both.', tools: [look, named('look')] }] },
      'invalid_tool',
      /^toolset "pair": two are named "look"/,
    ],
    [
      'toolsets',
      { toolsets: [...toolsets, ...toolsets] },
      'invalid_options',
      /two are named "reading"/,
    ],
    [
      'agents',
      { agents: [{ name: 'a' }, { name: 'a' }] },
      'invalid_agent',
      /^agents: two are named "a"/,
    ],
  ])('refuses two %s of one name (X7)', (_what, options, code, text) => {
    const create = () => createSupervisor({ model: 'offline', ...options });

    expect(create).toThrow(expect.objectContaining({ code, message: expect.stringMatching(text) }));
  });

  it('takes the same tool twice for one (X7)', async () => {
    const { supervisor, model } = supervise(calls('look'), { tools: [look, look] });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(model.requests()[0]?.tools).toHaveLength(1);
  });
});

const generators = [
  defineTool({
    name: 'counts',
    description: 'Counts, and returns nothing.',
    input: z.object({}),
    async *run() {
      yield 0.5;
      yield { rows: 2 };
    },
  }),
  defineTool({
    name: 'sums',
    description: 'Counts, and returns the sum.',
    input: z.object({}),
    *run() {
      yield 'one';
      return null;
    },
  }),
];

describe('a generator', () => {
  it.each<[string, NonNullable<SupervisorOptions['tools']>]>([
    ['in the thread', [toolFixture('yields')]],
    ['on the host', generators],
  ])('%s that only yields answers with its last value (D24)', async (_where, tools) => {
    const { supervisor, model } = supervise(calls('counts', 'sums'), { tools });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(answered(model)).toEqual([
      ['{"rows":2}', false],
      ['null', false],
    ]);
  });
});
