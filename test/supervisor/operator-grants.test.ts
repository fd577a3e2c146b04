// Checks who gives a child its tools: what the program names is granted, what a tool asks for is its caller's (X7, E1).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  type AgentDefinition,
  defineAgent,
  defineTool,
  type Outcome,
  type SupervisorOptions,
} from '#src/index.js';
import { directing, type Parts, toolsOf } from '../support/directed.ts';
import { delegate } from './family.ts';
import { toolFixture, within } from './support.ts';

const named = (name: string, ...tags: string[]) =>
  defineTool({ name, description: name, input: z.object({}), tags, run: () => `${name} ran` });
const search = named('search', 'domain');
const own = named('own');
const inline = named('inline');
const careful = toolFixture('careful');

/** A router, which has tools that hand work over and no others, hands one part to `worker`. */
async function routed(
  agent: Omit<AgentDefinition, 'name'>,
  {
    disallowedTools = [],
    limits,
    ...options
  }: Partial<SupervisorOptions> & Partial<AgentDefinition> = {},
) {
  const rig = directing(
    { plan: [{ calls: [['delegate', { agents: ['worker'] }]] }, { text: 'done' }] },
    {
      tools: [delegate, search],
      agents: [
        { name: 'router', tools: ['delegate'], disallowedTools },
        { name: 'worker', ...agent },
      ],
      // One thread serves both, unless the worker has a module of its own to load.
      limits: { maxLiveAgents: agent.tools?.includes(careful) === true ? 2 : 1, ...limits },
      ...options,
    },
  );
  await within(rig.supervisor.delegate({ goal: 'plan', agent: 'router' }), 'the outcome');
  const ends = rig.watch.of('task_completed').map(({ outcome }) => outcome);
  return { ...rig, child: ends[0], offered: toolsOf(rig.model, 'Do part 0.') };
}

const warningsIn = ({ watch }: { watch: { of(type: 'log'): readonly { message: string }[] } }) =>
  watch.of('log').map(({ message }) => message);

describe('an agent that the program registered', () => {
  it.each<[string, Omit<AgentDefinition, 'name'>, readonly string[]]>([
    ['registered tools', { tools: ['search'] }, ['search']],
    ['a tool as an object', { tools: [inline] }, ['inline']],
    ['a module of thread tools', { tools: [careful] }, ['always', 'sometimes']],
    [
      'a toolset',
      { tools: [], toolsets: ['file'] },
      ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write'],
    ],
    ['granted tools', { tools: [], grantedTools: ['search'] }, ['search']],
    ['tools of its own', { tools: [], ownTools: [own] }, ['own']],
  ])('has %s below a router without any (X7)', async (_what, agent, expected) => {
    const rig = await routed(agent);

    expect(rig.offered).toEqual(expected);
    expect([rig.child?.warnings, warningsIn(rig)]).toEqual([undefined, []]);
  });

  it.each([['search'], ['tag:domain']])(
    'lacks what its router is denied (%s), whoever grants it, and says so (X7)',
    async (denial) => {
      const rig = await routed(
        { tools: ['search', inline], grantedTools: ['search'] },
        { disallowedTools: [denial] },
      );

      expect(rig.offered).toEqual(['inline']);
      expect(rig.child?.warnings).toEqual([
        'tool "search" was left out: it is denied to an agent above',
      ]);
      expect(warningsIn(rig)).toEqual([
        'agent worker: tool "search" was left out: it is denied to an agent above',
      ]);
    },
  );

  it('has of what it does not name what its router has, and a word of it when that is nothing (X7)', async () => {
    const rig = await routed({ disallowedTools: ['delegate'] });

    expect(rig.offered).toEqual([]);
    expect(rig.child?.warnings).toEqual([expect.stringContaining('there is no tool')]);
    expect(warningsIn(rig)).toEqual([expect.stringContaining('agent worker: there is no tool')]);
  });

  it.each<[string, Omit<AgentDefinition, 'name'>]>([
    ['by name', { tools: ['task'] }],
    ['as an object', { tools: [], ownTools: [taskTool()] }],
  ])(
    'is told to lack what delegates, named %s, where no agent may (X7, C27)',
    async (_how, agent) => {
      const why = 'tool "task" was left out: ';
      const tools = [delegate, search, ...(agent.ownTools === undefined ? [taskTool()] : [])];

      const deep = await routed(agent, { tools, limits: { maxSpawnDepth: 1 } });
      const leaf = await routed(
        { ...agent, role: 'leaf' },
        { tools, limits: { maxSpawnDepth: 2 } },
      );
      const denied = await routed({ ...agent, disallowedTools: ['tag:delegation'] }, { tools });

      expect([deep.offered, deep.child?.warnings, warningsIn(deep)]).toEqual([
        [],
        [`${why}no agent delegates at this depth`],
        [`agent worker: ${why}no agent delegates at this depth`],
      ]);
      expect([leaf.offered, leaf.child?.warnings]).toEqual([[], [`${why}a leaf may not delegate`]]);
      expect([denied.offered, denied.child?.warnings]).toEqual([[], undefined]);
    },
  );

  it('has no more than it is allowed, whoever grants it more (X7)', async () => {
    const rig = await routed({
      tools: ['search', inline],
      toolsets: ['file'],
      grantedTools: ['search'],
      ownTools: [own],
      allowedTools: ['inline', 'read'],
    });

    expect(rig.offered).toEqual(['inline', 'read']);
  });
});

/** What `worker` or the goal `part` was offered and was told, below a router that hands over by this tool. */
async function below(
  tools: readonly (typeof search)[],
  call: readonly [string, unknown],
  router: Partial<AgentDefinition> = {},
) {
  const parts: Parts = { plan: [{ calls: [call] }, { text: 'done' }] };
  const rig = directing(parts, { tools: [search, ...tools], limits: { maxLiveAgents: 1 } });
  const agent = { name: 'router', tools: tools.map(({ name }) => name), ...router };
  await within(rig.supervisor.delegate({ goal: 'plan', agent }), 'the outcome');
  const ends = rig.watch.of('task_completed').map(({ outcome }): Outcome => outcome);
  return { ...rig, child: ends[0], offered: toolsOf(rig.model, 'part') };
}

describe('a definition that a tool brings', () => {
  const worker = { name: 'worker', tools: ['search'] };
  const bringing = (agent: AgentDefinition) =>
    defineTool({
      name: 'bring',
      description: 'Brings an agent.',
      input: z.object({}),
      run: (_input, tool) => tool.delegate([{ goal: 'part', agent }]).then(([end]) => end?.text),
    });

  it('has what it names when defineAgent made it (X7)', async () => {
    const { offered, child } = await below([bringing(defineAgent(worker)) as never], ['bring', {}]);

    expect([offered, child?.warnings]).toEqual([['search'], undefined]);
  });

  it.each([
    ['put together on the way', worker],
    ['changed since defineAgent made it', { ...defineAgent({ name: 'worker' }), ...worker }],
  ])(
    'is within its caller’s rights when it was %s, and says what it lacks (X7)',
    async (_how, agent) => {
      const rig = await below([bringing(agent) as never], ['bring', {}]);

      expect(rig.offered).toEqual([]);
      const why = 'tool "search" was left out: the agent that asked for it may not use it';
      expect([rig.child?.warnings, warningsIn(rig)]).toEqual([[why], [`agent worker: ${why}`]]);
    },
  );

  it('has what it names among the options of agentTools (X7)', async () => {
    const call = { description: 'part', prompt: 'part', subagent_type: 'worker' };
    const { offered } = await below(agentTools({ agents: [worker] }) as never, ['Agent', call]);

    expect(offered).toEqual(['search']);
  });

  it('has the tools and toolsets of taskTool, and no others (E15, X7)', async () => {
    const options = { tools: ['search', inline], toolsets: ['file'] };
    const rig = await below([taskTool(options) as never], ['task', { prompt: 'part' }]);

    expect(rig.offered).toEqual([
      'search',
      'inline',
      'list',
      'glob',
      'read',
      'grep',
      'edit',
      'apply_patch',
      'write',
    ]);
    const few = await below(
      [taskTool({ tools: [inline] }) as never],
      ['task', { prompt: 'part' }],
      {
        toolsets: ['file'],
      },
    );
    expect(few.offered).toEqual(['inline']);
  });

  it.each([
    ['task', taskTool(), ['task', { prompt: 'part' }]],
    ['Agent', agentTools()[0], ['Agent', { description: 'part', prompt: 'part' }]],
    ['delegate_task', delegateTaskTool(), ['delegate_task', { goal: 'part' }]],
  ] as const)(
    'has all that its caller has when %s names nothing, inline tools and toolsets too, but for its own (E1, X7)',
    async (name, tool, call) => {
      const { offered, child } = await below([tool as never], call, {
        tools: [name, 'search', inline, careful],
        toolsets: ['file'],
        ownTools: [own],
      });

      expect([...(offered ?? [])].sort()).toEqual([
        'always',
        'apply_patch',
        'edit',
        'glob',
        'grep',
        'inline',
        'list',
        'read',
        'search',
        'sometimes',
        'write',
      ]);
      expect(child?.warnings).toBeUndefined();
    },
  );
});
