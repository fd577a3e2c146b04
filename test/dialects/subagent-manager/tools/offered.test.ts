// Checks which tools the main agent is offered and what its prompt gains, under each switch; and an agent of the tree as the main agent.
import { describe, expect, it } from 'vitest';
import { defineAgent } from '#src/index.js';
import { inShort, within } from '../../../supervisor/support.ts';
import { resultsIn } from '../../../support/directed.ts';
import { on, rig } from '../rig.ts';

const management = ['create_subagent', 'remove_subagent', 'list_subagents'];
const protection = 'manage_subagent_protection';
const reset = 'reset_subagent';
const wait = 'wait_for_subagent';
const board = ['view_shared_context', 'broadcast_shared_context'];

describe('the main agent', () => {
  it.each([
    [{}, []],
    [{ enabled: false, dynamicEnabled: true, agents: [{ name: 'one' }] }, []],
    [{ enabled: true }, [reset, wait]],
    [{ enabled: true, agents: [{ name: 'one' }] }, ['transfer_to_one', reset, wait]],
    [{ ...on }, [...management, protection, reset, wait]],
    [{ ...on, cleanupAtRunEnd: false }, [...management, reset, wait]],
    [{ ...on, historyEnabled: false }, [...management, protection, wait]],
    [{ ...on, boardEnabled: true }, [...management, protection, reset, wait, ...board]],
    [{ enabled: true, boardEnabled: true }, [reset, wait, ...board]],
  ])(
    'with %j is offered these tools (A1, A5, A13, A48, A76, A77, A78, A80, X3)',
    (config, wanted) => {
      expect(rig({}, { config }).offered()).toEqual(wanted);
    },
  );

  it('without the switch every call is refused as of a tool that is not there (A1)', async () => {
    const { create, manager } = rig({}, { config: {} });

    expect(await create('ada')).toEqual([expect.stringMatching(/no tool "create_subagent"/), true]);
    expect(manager.agents()).toEqual([]);
  });

  it('is offered the same list while nothing changes, and another when something did (A32, A36)', async () => {
    const { tools, create } = rig();
    const before = tools.definitions;

    expect(tools.definitions).toBe(before);
    await create('ada');

    expect(tools.definitions).not.toBe(before);
    expect(tools.definitions.openai[0]?.function.name).toBe('transfer_to_ada');
  });

  it('lists its subagents with their tools, and with how they stand unless it asks not to (A76)', async () => {
    const { create, hand, call } = rig({}, { config: { ...on, agents: [{ name: 'one' }] } });
    await create('ada');
    await hand('ada', 'a');

    expect(await call('list_subagents')).toEqual([
      '2 of at most 3 subagents:\n- one: IDLE, configured, protected, tools: all\n- ada: COMPLETED, tools: none',
      false,
    ]);
    const [text] = await call('list_subagents', { include_status: false });
    expect(text).not.toContain('COMPLETED');
  });

  it('receives an error when it protects an unknown subagent (A73, A77)', async () => {
    const { call } = rig();
    const answer = await call(protection, { name: 'eve', protected: true });
    expect(answer).toEqual([expect.stringMatching(/no subagent "eve"/), true]);
  });

  it('has the router’s text, or how to manage subagents, or nothing in its prompt (A3, A70)', () => {
    const promptOf = (config: object) => rig({}, { config: { ...config } }).manager.mainPrompt();
    const router = { enabled: true, router_system_prompt: 'Route well.' };

    expect(promptOf(router)).toBe('Route well.');
    expect(promptOf({ ...router, enabled: false })).toBe('');
    const section = promptOf({ ...router, dynamicEnabled: true, maxAgents: 7 });
    expect(section).not.toContain('Route well.');
    for (const part of [
      'at most 7',
      'role',
      'context',
      'instruction',
      'tools',
      'letters, digits',
    ]) {
      expect(section).toContain(part);
    }
    expect(section).toMatch(
      /wait_for_subagent[\s\S]*remove_subagent[\s\S]*manage_subagent_protection/,
    );
  });
});

describe('an agent of the tree as the main agent', () => {
  it('creates agents and hands them work in the same run; they are its children (A32, A41, A71, X6)', async () => {
    const parts = {
      plan: [
        { calls: [['create_subagent', { name: 'ada', system_prompt: 'You are ada.' }] as const] },
        { calls: [['transfer_to_subagent', { name: 'ada', input: 'part' }] as const] },
        { calls: [['transfer_to_subagent', { name: 'eve', input: 'part' }] as const] },
        { text: 'all done' },
      ],
    };
    const { supervisor, manager, model, watch } = rig(parts);
    const main = defineAgent({ name: 'main', prompt: 'You lead.', ...manager.mainAgent() });

    const outcome = await within(supervisor.delegate({ goal: 'plan', agent: main }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    const results = [1, 2, 3].map((at) => resultsIn(model.requests('plan')[at])[0]);
    expect(results[0]?.[0]).toMatch(/^__DYNAMIC_TOOL_CREATED__:transfer_to_subagent:ada/);
    expect(results[1]).toEqual(['part done', false]);
    expect(results[2]).toEqual([expect.stringMatching(/no subagent "eve"; there is: ada/), true]);
    const child = watch.of('agent_started').find(({ depth }) => depth === 1);
    expect(child?.parentId).toBe(outcome.agent.id);
    expect(manager.agents(), 'the run is over').toEqual([]);
  });

  it('waits for a background task in the one slot there is, which it gives up to it (A48, V7)', async () => {
    const transfer = { name: 'ada', input: 'part', background_task: true };
    const parts = {
      plan: [
        { calls: [['create_subagent', { name: 'ada', system_prompt: 'You are ada.' }] as const] },
        { calls: [['transfer_to_subagent', transfer] as const] },
        { calls: [['wait_for_subagent', { subagent_name: 'ada', timeout: 86_400 }] as const] },
        { text: 'all done' },
      ],
    };
    const supervisor = { limits: { maxLiveAgents: 1 } };
    const { supervisor: made, manager, model, watch } = rig(parts, { supervisor });
    const main = defineAgent({ name: 'main', ...manager.mainAgent() });

    const outcome = await within(made.delegate({ goal: 'plan', agent: main }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    expect(resultsIn(model.requests('plan')[3])[0]?.[0]).toMatch(/completed after[\s\S]*part done/);
    const ended = watch.of('task_completed').map(({ outcome }) => outcome.agent.name);
    expect(ended).toEqual(['ada', 'main']);
  });
});
