// Checks who may delegate in dialect C: roles, depths, what no child has, and out-of-range options (C10, C15 to C18, C25 to C31).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DelegateTaskOptions, delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool, type SupervisorOptions } from '#src/index.js';
import { within } from '../../supervisor/support.ts';
import { directing, envelopeIn, type Parts, resultsIn, toolsOf } from '../../support/directed.ts';

const call = (goal: string, more: Readonly<Record<string, unknown>> = {}) =>
  ['delegate_task', { goal, toolsets: [], ...more }] as const;
const orchestrator = { role: 'orchestrator' };

/** Calls `delegate_task` once from the program's own loop, which is the agent at depth 0. */
async function delegated(
  input: unknown,
  setup: {
    readonly parts?: Parts;
    readonly options?: Partial<SupervisorOptions>;
    readonly dialect?: DelegateTaskOptions;
  } = {},
) {
  const { parts = {}, options, dialect = {} } = setup;
  const rig = directing(parts, options);
  const tools = rig.supervisor.session('chat').tools(delegateTaskTool({ ...dialect }));
  const result = await within(tools.call('delegate_task', input), 'the result');
  return { ...rig, result };
}

const deep = (maxSpawnDepth: number) => ({ limits: { maxSpawnDepth } });

describe('roles', () => {
  it.each([
    ['a leaf by default', {}, false],
    ['an orchestrator', orchestrator, true],
    ['an orchestrator in any case, with blanks', { role: ' ORCHESTRATOR ' }, true],
    ['an unknown role', { role: 'boss' }, false],
  ])('%s may delegate: %j (C16, C25)', async (_name, more, may) => {
    const { model, result } = await delegated(call('a', more)[1], { options: deep(2) });

    expect(toolsOf(model, 'a')).toEqual(may ? ['delegate_task'] : []);
    const { warnings } = envelopeIn(result);
    if ('role' in more && more.role === 'boss')
      expect(warnings).toEqual([expect.stringMatching(/"boss"/)]);
    else expect(warnings).toBeUndefined();
  });

  it('tells an orchestrator how deep it is, and whether its subagents may delegate (C26)', async () => {
    const descriptionAt = async (maxSpawnDepth: number) => {
      const { model } = await delegated(call('a', orchestrator)[1], {
        options: deep(3),
        dialect: { maxSpawnDepth },
      });
      return model.requests()[0]?.system;
    };

    expect(await descriptionAt(3)).toMatch(
      /at depth 1 of 3: those with the role orchestrator may delegate/,
    );
    expect(await descriptionAt(2)).toMatch(
      /at depth 1 of 2: your subagents cannot delegate in turn/,
    );
    expect(await descriptionAt(1)).not.toMatch(/at depth/);
  });

  it('has no orchestrators at depth 1 (C27)', async () => {
    const { model } = await delegated(call('a', orchestrator)[1]);

    expect(toolsOf(model, 'a')).toEqual([]);
  });

  it('has leaves alone where orchestrators are switched off (C30)', async () => {
    const { model } = await delegated(call('a', orchestrator)[1], {
      options: deep(3),
      dialect: { orchestratorEnabled: false },
    });

    expect(toolsOf(model, 'a')).toEqual([]);
  });

  it('makes three levels of three, C31 each call with a limit of its own (C28)', async () => {
    const three = (level: string, more: object) => [
      {
        calls: [
          [
            'delegate_task',
            { toolsets: [], ...more, tasks: [1, 2, 3].map((at) => ({ goal: `${level}${at}` })) },
          ] as const,
        ],
      },
      { text: `${level} done` },
    ];
    const parts: Parts = Object.fromEntries([
      ...[1, 2, 3].map((at) => [`b${at}`, three(`c${at}`, orchestrator)]),
      ...[11, 12, 13, 21, 22, 23, 31, 32, 33].map((at) => [`c${at}`, three(`d${at}`, {})]),
    ]);
    const { watch, model, result } = await delegated(
      { toolsets: [], role: 'orchestrator', tasks: [1, 2, 3].map((at) => ({ goal: `b${at}` })) },
      { parts, options: deep(3) },
    );

    expect(envelopeIn(result).results.map(({ status }) => status)).toEqual(
      Array(3).fill('completed'),
    );
    const byDepth = [1, 2, 3].map(
      (depth) => watch.of('agent_started').filter((event) => event.depth === depth).length,
    );
    expect(byDepth).toEqual([3, 9, 27]);
    expect(toolsOf(model, 'd111')).toEqual([]);
  });

  it('answers a call at the depth limit by an error that names depth and limit (C29)', async () => {
    const tool = delegateTaskTool({ maxSpawnDepth: 2 });
    const deepest = defineTool({
      name: 'deepest',
      description: 'Delegates from where nobody may.',
      input: z.object({}),
      async run(_input, context) {
        const agent = { ...context.agent, depth: 2 };
        return tool.run([], { ...context, agent });
      },
    });
    const parts = { plan: [{ calls: [['deepest', {}]] as const }, { text: 'ok' }] };
    const { supervisor, model, watch } = directing(parts, { tools: [deepest] });

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(resultsIn(model.requests('plan')[1])).toEqual([
      [expect.stringMatching(/you are at depth 2, and the limit is 2/), true],
    ]);
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('names them too where the supervisor refuses (C29)', async () => {
    const { result, watch } = await delegated({ goal: 'a' }, { options: deep(0) });

    expect(result).toMatchObject({ isError: true, failure: { code: 'max_spawn_depth' } });
    expect(result.content).toMatch(/depth 1 is below the limit of 0/);
    expect(watch.of('agent_started')).toEqual([]);
  });
});

describe('what no child has', () => {
  const blocked = ['clarify', 'memory', 'execute_code', 'send_message'];
  const tools = blocked.map((name) =>
    defineTool({ name, description: name, input: z.object({}), run: () => 'ran' }),
  );
  const disguised = defineTool({
    name: 'tell_everybody',
    description: 'Sends messages.',
    input: z.object({}),
    tags: ['messaging'],
    run: () => 'ran',
  });
  const toolsets = [
    { name: 'extras', description: 'All of it.', tools: [...tools, disguised] },
    {
      name: 'harmless',
      description: 'One tool.',
      tools: [{ ...disguised, name: 'look', tags: [] }],
    },
  ];
  const options = { ...deep(2), toolsets };

  it.each([
    ['leaf', []],
    ['orchestrator', ['delegate_task']],
  ])(
    'a %s asks for the blocked groups in vain and has %j (C15, C16, C17, C18)',
    async (role, has) => {
      const { model, result } = await delegated(
        {
          goal: 'a',
          role,
          toolsets: ['delegation', 'clarify', 'memory', 'code_execution', 'send_message', 'extras'],
        },
        { options },
      );

      expect(toolsOf(model, 'a')).toEqual(has);
      expect(envelopeIn(result).warnings).toHaveLength(5);
    },
  );

  it('keeps what is not blocked (C14, C15)', async () => {
    const { model } = await delegated({ goal: 'a', toolsets: ['harmless'] }, { options });

    expect(toolsOf(model, 'a')).toEqual(['look']);
  });

  it('gives a child no more than its parent has', async () => {
    const parts = {
      plan: [{ calls: [call('a', { toolsets: ['file', 'terminal'] })] }, { text: 'ok' }],
    };
    const { supervisor, model } = directing(parts, { tools: [delegateTaskTool()] });

    await within(supervisor.delegate({ goal: 'plan', toolsets: ['file'] }), 'the outcome');

    const files = toolsOf(model, 'plan')?.filter((name) => name !== 'delegate_task');
    expect(files?.length).toBeGreaterThan(0);
    expect(toolsOf(model, 'a')).toEqual(files);
  });
});

describe('limits of delegate_task', () => {
  it.each([
    [0, 1],
    [-4, 1],
    [100, 100],
  ])('takes a maxConcurrentChildren of %i for %i (C10)', async (given, limit) => {
    const goals = {
      toolsets: [],
      tasks: Array.from({ length: limit + 1 }, (_, at) => ({ goal: `g${at}` })),
    };
    const { result, watch } = await delegated(goals, {
      dialect: { maxConcurrentChildren: given },
      options: { limits: { maxConcurrentChildren: 1_000 } },
    });

    expect(result.content).toMatch(
      new RegExp(`${limit + 1} tasks in one call, the limit is ${limit}`),
    );
    const warned = watch.of('log').filter(({ message }) => /maxConcurrentChildren/.test(message));
    expect(warned).toHaveLength(given < 1 ? 1 : 0);
  });

  it.each([
    [0, 1],
    [9, 3],
    [2, 2],
  ])('takes a maxSpawnDepth of %i for %i, and says so (C26)', async (given, depth) => {
    const chain: Parts = Object.fromEntries(
      [1, 2, 3, 4].map((at) => [
        `g${at}`,
        [{ calls: [call(`g${at + 1}`, orchestrator)] }, { text: 'done' }],
      ]),
    );
    const { watch } = await delegated(call('g1', orchestrator)[1], {
      parts: chain,
      options: deep(5),
      dialect: { maxSpawnDepth: given },
    });

    expect(watch.of('agent_started').map((event) => event.depth)).toEqual(
      Array.from({ length: depth }, (_, at) => at + 1),
    );
    const warned = watch.of('log').filter(({ message }) => /maxSpawnDepth/.test(message));
    expect(warned).toHaveLength(given === depth ? 0 : 1);
  });

  it('honours the call’s max_iterations below the limit, and above it only where the program allows (C19, X8)', async () => {
    const spins = { a: [{ calls: [['nope', {}]] as const }] };
    const turnsWith = async (max_iterations: number | undefined, dialect: DelegateTaskOptions) => {
      const { result } = await delegated(
        { goal: 'a', max_iterations, toolsets: [] },
        { parts: spins, dialect },
      );
      const { results, warnings = [] } = envelopeIn(result);
      return [results[0]?.exit_reason, results[0]?.['turns'], warnings.length];
    };

    expect(await turnsWith(undefined, {})).toEqual(['max_turns', 50, 0]);
    expect(await turnsWith(2, { maxIterations: 4 })).toEqual(['max_turns', 2, 0]);
    expect(await turnsWith(9, { maxIterations: 4 })).toEqual(['max_turns', 4, 1]);
    expect(await turnsWith(6, { maxIterations: 4, mayRaiseIterations: true })).toEqual([
      'max_turns',
      6,
      0,
    ]);
  });

  it.each([
    [{ maxSpawnDepth: 1.5 }, /maxSpawnDepth/],
    [{ maxIterations: 0 }, /maxIterations/],
    [{ toolsets: 'file' }, /toolsets/],
    [{ nowhere: 1 }, /nowhere/],
  ])('refuses the options %j', (options, expected) => {
    expect(() => delegateTaskTool(options as DelegateTaskOptions)).toThrow(expected);
  });
});
