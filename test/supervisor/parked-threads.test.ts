// Checks that a run which gives its thread up leaves it fit for the next one: its own open calls are no leftover (W5).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { askParentTool, defineTool } from '#src/index.js';
import { directing } from '../support/directed.ts';
import { delegate, handsTo, named, tree } from './family.ts';
import { hookFixture } from './hook-support.ts';
import { answered, calls, gate, inShort, supervise, within } from './support.ts';

const careful = defineTool({
  name: 'careful',
  description: 'Needs a word.',
  input: z.object({}),
  needsApproval: true,
  run: () => 'ran',
});

const family = {
  agents: { parent: [handsTo('leaf'), { text: 'done' }], leaf: [{ text: 'leaf' }] },
};

describe('a thread that a run gave up while it waits serves the next one (W5)', () => {
  it('in a tree of forty nested delegations', async () => {
    const depth = 40;
    const { script, agents } = tree(depth, 1);
    const { supervisor, watch } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxLiveAgents: 1, maxSpawnDepth: depth },
    });

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the tree');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'level0 done']);
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(depth);
    expect(watch.of('thread_spawned')).toHaveLength(1);
    expect(watch.of('thread_lost')).toEqual([]);
  });

  it('where more roots delegate than there may be agents', async () => {
    const maxLiveAgents = 3;
    const { supervisor, watch } = supervise(family, {
      tools: [delegate],
      agents: named('parent', 'leaf'),
      limits: { maxLiveAgents },
    });

    const roots = Array.from({ length: 30 }, () =>
      supervisor.delegate({ goal: 'a', agent: 'parent' }),
    );

    for (const { text } of await within(Promise.all(roots), 'all of them')) {
      expect(text).toBe('done');
    }
    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
    expect(watch.of('thread_spawned').length).toBeLessThanOrEqual(maxLiveAgents);
    expect(watch.of('thread_lost')).toEqual([]);
  });

  it('and what it left behind there is never continued: its hooks hear once of the call', async () => {
    const hooks = hookFixture('marking');
    const { supervisor, model, watch } = supervise(family, {
      tools: [delegate],
      agents: named('parent', 'leaf').map((agent) => ({ ...agent, hooks })),
      limits: { maxLiveAgents: 1 },
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'a', agent: 'parent' }),
      'the outcome',
    );

    expect(outcome.text).toBe('done');
    expect(answered(model)).toEqual([['leaf (seen by the module)', false]]);
    expect(model.requests()).toHaveLength(3);
    expect(watch.of('thread_lost')).toEqual([]);
  });

  it.each([
    ['a person', careful, {}],
    ['its caller', askParentTool(), { question: 'Which?', options: ['yes', 'no'] }],
  ])('while it waits for %s', async (_who, tool, input) => {
    const { opened: approval, open: say } = gate<'approve'>();
    const { supervisor, watch } = supervise(
      { agents: { parent: calls([tool.name, input]).default ?? [], leaf: [{ text: 'leaf' }] } },
      {
        tools: [tool],
        agents: named('parent', 'leaf'),
        limits: { maxLiveAgents: 1 },
        approve: () => approval,
        onQuestion: () => approval,
      },
    );
    const parent = supervisor.delegate({ goal: 'a', agent: 'parent' });
    await watch.next('tool_started');

    const other = await within(supervisor.delegate({ goal: 'b', agent: 'leaf' }), 'the other');
    say('approve');

    expect(other.text).toBe('leaf');
    expect((await within(parent, 'the one that waited')).text).toBe('done');
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
    expect(watch.of('thread_lost')).toEqual([]);
  });

  it('where a built-in tool delegates, also below a toolbox of the program', async () => {
    const nested = ['Agent', { description: 'a part', prompt: 'leaf' }] as const;
    const { supervisor, watch } = directing(
      { plan: [{ calls: [nested] }, { text: 'planned' }] },
      { tools: agentTools(), limits: { maxLiveAgents: 1, maxSpawnDepth: 2 } },
    );
    const toolbox = supervisor.session('chat').tools(agentTools());

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');
    const input = { description: 'all of it', prompt: 'plan' };
    const result = await within(toolbox.call('Agent', input), 'the result');

    expect(outcome.text).toBe('planned');
    expect(result.content).toContain('planned');
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(2);
    expect(watch.of('thread_lost')).toEqual([]);
  });
});
