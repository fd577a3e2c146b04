// Checks what an agent of the tree is told and offered as its session's main agent: whom there is, by tools that are there.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentDefinition,
  defineAgent,
  defineTool,
  type SupervisorOptions,
} from '#src/index.js';
import { within } from '../../supervisor/support.ts';
import { type Parts, resultsIn, type Step, toolsOf } from '../../support/directed.ts';
import { on, rig } from './rig.ts';

const agents = [
  { name: 'one', description: 'Looks\n things up.' },
  { name: 'two', description: '' },
];
const handoffs = ['transfer_to_one', 'transfer_to_two', 'transfer_to_subagent'];
const removes: Step = { calls: [['remove_subagent', { name: 'one' }]] };
const asksOne: Step = { calls: [['transfer_to_one', { input: 'part' }]] };

/** A main agent whose runs are made of one definition, as a service has it. */
function led(
  parts: Parts,
  config: object,
  {
    more = {},
    supervisor = {},
  }: { more?: Partial<AgentDefinition>; supervisor?: Partial<SupervisorOptions> } = {},
) {
  const made = rig(parts, { config: { ...config }, supervisor });
  const main = defineAgent({
    name: 'main',
    prompt: 'You lead.',
    ...more,
    ...made.manager.mainAgent(),
  });
  const run = (goal: string) =>
    within(made.supervisor.delegate({ goal, agent: main }), `the run ${goal}`);
  return { ...made, main, run };
}

/** Tools of the manager that a text speaks of. */
const namedIn = (text: string | undefined): readonly string[] => [
  ...new Set(text?.match(/\b(?:transfer_to_[a-z]\w*|\w+_subagents?(?:_\w+)?)\b/g)),
];

describe('the main agent in the tree', () => {
  it.each([
    ['static agents alone', { enabled: true, agents, routerPrompt: 'Route well.' }, /Route well\./],
    ['dynamic ones too', { ...on, agents }, /at most 3 of them[\s\S]*create_subagent/],
    ['agents that stay', { ...on, agents, cleanupAtRunEnd: false }, /stay until they are removed/],
  ])(
    'with %s is told whom there is, by the tools it has (A3, A4, A25, A70)',
    async (_what, config, expected) => {
      const { run, model } = led({}, config);

      await run('plan');

      const [request] = model.requests('plan');
      const offered = toolsOf(model, 'plan') ?? [];
      expect(offered.slice(0, 3)).toEqual(handoffs);
      expect(request?.tools[0]?.description).toBe(agents[0]?.description);
      const { system } = request ?? {};
      expect(system).toMatch(/^You lead\./);
      expect(system).toMatch(expected);
      expect(system?.split('\n')).toEqual(
        expect.arrayContaining(['- transfer_to_one: Looks things up.', '- transfer_to_two']),
      );
      expect(namedIn(system).filter((name) => !offered.includes(name))).toEqual([]);
      for (const { name, description } of request?.tools ?? []) {
        expect([name, namedIn(description).filter((each) => !offered.includes(each))]).toEqual([
          name,
          [],
        ]);
      }
    },
  );

  it('is told and offered nothing while the manager is off (A1)', async () => {
    const { run, model } = led({}, { ...on, enabled: false, agents });

    await run('plan');

    expect(toolsOf(model, 'plan')).toEqual([]);
    expect(model.requests('plan')[0]?.system).toBe('You lead.');
  });

  it.each([
    ['at the depth limit', { supervisor: { limits: { maxSpawnDepth: 0 } } }],
    ['as a leaf', { more: { role: 'leaf' as const } }],
  ])('is told of no handoff %s (X6)', async (_where, setup) => {
    const { run, model } = led({}, { ...on, agents }, setup);

    await run('plan');

    expect(model.requests('plan')[0]?.system).toBe('You lead.');
    expect(toolsOf(model, 'plan')?.filter((name) => name.startsWith('transfer_to'))).toEqual([]);
  });

  it('has removed static agents back with its next run (A33, A36, A72)', async () => {
    const parts = {
      first: [removes, asksOne, { text: 'ok' }],
      second: [asksOne, { text: 'ok' }],
    };
    const { run, model } = led(parts, { ...on, agents });

    await run('first');
    await run('second');

    const refused = resultsIn(model.requests('first')[2])[0];
    expect(refused).toEqual([expect.stringMatching(/no subagent "one"; there is: two/), true]);
    expect(toolsOf(model, 'second')?.slice(0, 3).toSorted()).toEqual(handoffs.toSorted());
    expect(resultsIn(model.requests('second')[1])).toEqual([['part done', false]]);
  });

  it('has them back as a spawned agent too (A33, A72)', async () => {
    const parts = {
      first: [removes, { text: 'ok' }],
      second: [asksOne, { text: 'ok' }],
    };
    const { supervisor, main, model } = led(parts, { ...on, agents });
    const agent = await within(supervisor.spawn(main), 'the agent');

    await within(agent.ask('first', { timeoutMs: 20_000 }), 'the first answer');
    await within(agent.ask('second', { timeoutMs: 20_000 }), 'the second answer');

    expect(resultsIn(model.requests('second')[1])).toEqual([['part done', false]]);
  });

  it('has a tool for each agent that exists when its run begins, of one definition (A25, A32, A73)', async () => {
    const create: Step = {
      calls: [['create_subagent', { name: 'ada', system_prompt: 'You are ada.' }]],
    };
    const protect: Step = {
      calls: [['manage_subagent_protection', { name: 'ada', protected: true }]],
    };
    const parts = {
      first: [create, protect, { text: 'ok' }],
      second: [{ calls: [['transfer_to_ada', { input: 'part' }]] as const }, { text: 'ok' }],
    };
    const { run, model } = led(parts, on);

    await run('first');
    await run('second');

    expect(toolsOf(model, 'first')).not.toContain('transfer_to_ada');
    const [created] = resultsIn(model.requests('first')[1]);
    expect(created?.[0]).toBe(
      '__DYNAMIC_TOOL_CREATED__:transfer_to_subagent:ada\n' +
        'Subagent "ada" is there. Hand it work with transfer_to_subagent and the name "ada".',
    );
    expect(toolsOf(model, 'second')?.slice(0, 2)).toEqual([
      'transfer_to_ada',
      'transfer_to_subagent',
    ]);
    expect(model.requests('second')[0]?.system).toContain('- transfer_to_ada');
    expect(resultsIn(model.requests('second')[1])).toEqual([['part done', false]]);
  });

  it('reaches an agent that is called subagent (A25)', async () => {
    const call = ['transfer_to_subagent', { name: 'subagent', input: 'part' }] as const;
    const parts = { plan: [{ calls: [call] }, { text: 'ok' }] };
    const { run, model } = led(parts, { enabled: true, agents: [{ name: 'subagent' }] });

    await run('plan');

    expect(toolsOf(model, 'plan')?.filter((name) => /^transfer/.test(name))).toEqual([
      'transfer_to_subagent',
    ]);
    expect(model.requests('plan')[0]?.system).toContain('with the name "subagent"');
    expect(resultsIn(model.requests('plan')[1])).toEqual([['part done', false]]);
  });

  it('goes without the tools of static agents where that is configured, which have them (A2)', async () => {
    const tools = ['search', 'other'].map((name) =>
      defineTool({ name, description: name, input: z.object({}), run: () => `${name} ran` }),
    );
    const config = {
      ...on,
      agents: [{ name: 'one', persona_id: 'p' }],
      removeDuplicateTools: true,
    };
    const search: Step = { calls: [['search', {}]] };
    const made = rig(
      { plan: [asksOne, search, { text: 'ok' }], part: [search, { text: 'part done' }] },
      { config, options: { personaOf: () => ({ tools: ['search'] }) }, supervisor: { tools } },
    );
    const main = defineAgent({ name: 'main', tools, ...made.manager.mainAgent() });

    await within(made.supervisor.delegate({ goal: 'plan', agent: main }), 'the run');

    const offered = toolsOf(made.model, 'plan');
    expect(offered).toEqual(expect.arrayContaining(['other', 'transfer_to_one']));
    expect(offered).not.toContain('search');
    expect(resultsIn(made.model.requests('plan')[1])).toEqual([['part done', false]]);
    expect(resultsIn(made.model.requests('plan')[2])[0]?.[1]).toBe(true);
    expect(resultsIn(made.model.requests('part')[1])).toEqual([['search ran', false]]);
    made.manager.configure({ ...config, removeDuplicateTools: false });
    await within(made.supervisor.delegate({ goal: 'again', agent: main }), 'the next run');
    expect(toolsOf(made.model, 'again')).toContain('search');
  });

  it('has no subagents once its session was reset (A74)', async () => {
    const { run, model, session, manager } = led({}, { ...on, agents });

    await within(session.reset(), 'the reset');
    await run('plan');

    expect(toolsOf(model, 'plan')).toEqual([]);
    expect(manager.agents()).toEqual([]);
  });

  it('is shown what each agent is for (A76)', async () => {
    const { call } = rig({}, { config: { ...on, agents } });

    const [text] = await call('list_subagents', { include_status: false });

    expect(text).toContain('- one: configured, protected, tools: all; Looks things up.\n- two: ');
  });
});
