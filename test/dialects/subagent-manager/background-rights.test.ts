// Checks that a background task of an agent of the tree has its caller's rights, model, depth and budget: only its lifetime
// differs.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { gate, inShort, within } from '../../supervisor/support.ts';
import { directed, lastGoalOf, resultsIn } from '../../support/directed.ts';
import { create, plain, send, tree, wait } from './tree-support.ts';

describe('a background task of an agent of the tree', () => {
  it('has no tool that its caller is denied, by name or by tag (X7)', async () => {
    const { model, start } = tree(
      { lead: [create('ada'), send('ada', 'work'), wait, { text: 'led' }] },
      { main: { disallowedTools: ['danger', 'tag:sharp'] } },
    );

    const outcome = await within(start().result(), 'the main agent');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'led']);
    const [request] = model.requests('work');
    expect(request?.tools.map(({ name }) => name)).toEqual(['plain']);
  });

  it('asks its caller’s model, not the supervisor’s (X7, C37)', async () => {
    const parts = { lead: [create('ada'), send('ada', 'work'), wait, { text: 'led' }] };
    const own = directed(parts, lastGoalOf);
    const { model, start } = tree(parts, { main: { model: own } });

    await within(start().result(), 'the main agent');

    expect([own.requests('work').length, model.requests().length]).toEqual([1, 0]);
  });

  it('is under the budget of its caller’s tree, also when its caller has ended (V10)', async () => {
    const { opened, open } = gate();
    const { model, start, watch } = tree(
      {
        lead: [create('ada'), send('ada', 'work'), { text: 'led' }],
        work: [{ after: opened, ...plain }, plain],
      },
      { budget: { perTree: { maxTurns: 6 } } },
    );

    const led = await within(start().result(), 'the main agent');
    open();
    const { outcome } = await watch.next('task_completed', ({ depth }) => depth === 1);

    expect(inShort(led)).toEqual(['goal', undefined, 'led']);
    expect([outcome.status, outcome.error?.code]).toEqual(['failed', 'max_turns']);
    expect(model.requests()).toHaveLength(6);
  });

  it('is one level below its caller, wherever that is (X6)', async () => {
    const { supervisor, agent, watch } = tree(
      {
        top: [
          { calls: [['Agent', { description: 'lead', prompt: 'lead', subagent_type: 'main' }]] },
          { text: 'up' },
        ],
        lead: [create('ada'), send('ada', 'work'), wait, { text: 'led' }],
      },
      { limits: { maxSpawnDepth: 2 } },
    );
    const top = { name: 'top', ownTools: agentTools({ agents: [agent] }) };

    await within(supervisor.delegate({ goal: 'top', agent: top }), 'the top agent');

    expect(
      watch.of('task_completed').map(({ depth, outcome }) => [outcome.agent.name, depth]),
    ).toEqual([
      ['ada', 2],
      ['main', 1],
      ['top', 0],
    ]);
    const lost = tree(
      {
        top: [
          { calls: [['Agent', { description: 'lead', prompt: 'lead', subagent_type: 'main' }]] },
          { text: 'up' },
        ],
        lead: [create('ada'), send('ada', 'work'), { text: 'led' }],
      },
      { limits: { maxSpawnDepth: 1 } },
    );
    const above = { name: 'top', ownTools: agentTools({ agents: [lost.agent] }) };
    await within(lost.supervisor.delegate({ goal: 'top', agent: above }), 'the top agent');
    expect(lost.model.requests('work'), 'at the limit nobody delegates').toEqual([]);
  });

  it('counts among the agents of its tree (V7)', async () => {
    const { model, start } = tree(
      {
        lead: [
          create('ada'),
          create('ben'),
          send('ada', 'one'),
          send('ben', 'two'),
          { text: 'led' },
        ],
      },
      { limits: { maxTotalAgents: 2 } },
    );

    await within(start().result(), 'the main agent');

    const results = model.requests('lead').map(resultsIn);
    expect(results.at(-1)).toEqual([[expect.stringMatching(/max_total_agents/), true]]);
    expect(model.requests('two')).toEqual([]);
  });
});
