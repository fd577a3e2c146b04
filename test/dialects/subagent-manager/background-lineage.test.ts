// Checks where a background task of an agent of the tree is seen and counted, and what ends it: its caller's subtree, not
// its caller's run.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { defineAgent } from '#src/index.js';
import { gate, within } from '../../supervisor/support.ts';
import type { Step } from '../../support/directed.ts';
import { create, plain, send, tree } from './tree-support.ts';

describe('a background task of an agent of the tree', () => {
  it('is seen and counted below its caller, and below what is left of it (C44, C45)', async () => {
    const { opened, open } = gate();
    const { supervisor, session, start, watch } = tree({
      lead: [create('ada'), send('ada', 'work'), { after: opened, text: 'led' }],
      work: [plain, { hang: true }],
    });
    const handle = start();
    const { agentId, path } = await watch.next(
      'turn_started',
      ({ depth, turn }) => depth === 1 && turn === 2,
    );

    const [root] = supervisor.tree();
    expect(root).toMatchObject({
      name: 'main',
      children: [{ agentId, name: 'ada', parentId: root?.agentId, depth: 1 }],
    });
    expect(path).toBe(`${root?.path}/ada.1`);
    expect(supervisor.totals(handle.id)).toMatchObject({ agents: 2, live: 2 });

    open();
    const led = await within(handle.result(), 'the main agent');
    expect(supervisor.tree()).toMatchObject([{ agentId, parentId: led.agent.id }]);
    expect(supervisor.tree({ ended: true })).toMatchObject([
      { taskId: led.taskId, status: 'completed', children: [{ agentId, status: 'waiting' }] },
    ]);
    expect(supervisor.totals(led.taskId)).toMatchObject({ agents: 2, live: 1 });

    await within(supervisor.interrupt(String(agentId)), 'the interrupt');
    const { outcome } = await watch.next('task_completed', (event) => event.agentId === agentId);
    const { usage, agents, live } = supervisor.totals(led.taskId);
    expect([agents, live]).toEqual([2, 0]);
    expect(usage.inputTokens).toBe(led.usage.own.inputTokens + outcome.usage.own.inputTokens);
    expect(session.completions()).toMatchObject([{ outcome: { status: 'interrupted' } }]);
  });

  it('goes on when its caller is interrupted, and is stopped with scope subtree (S5, X5)', async () => {
    const { opened, open } = gate();
    const { session, start, watch } = tree({
      lead: [create('ada'), send('ada', 'one'), create('ben'), send('ben', 'two'), { hang: true }],
      one: [{ after: opened, text: 'one done' }],
      two: [{ hang: true }],
    });
    const handle = start();
    await watch.next('turn_started', ({ depth, turn }) => depth === 0 && turn === 5);

    const first = await within(handle.interrupt({ scope: 'run' }), 'the interrupt');
    open();
    const one = await within(session.wait('t2'), 'the task that goes on');
    expect(first.map(({ path, stage }) => [path, stage])).toEqual([
      [(await handle.result()).agent.path, 'interrupted'],
    ]);
    expect(one?.outcome.text).toBe('one done');
    await watch.next('turn_started', ({ taskId }) => taskId === 't3');

    const second = await within(handle.interrupt({ scope: 'subtree' }), 'the subtree');

    expect(second).toMatchObject([{ stage: 'already_dead' }, { stage: 'interrupted' }]);
    expect(session.completions()).toMatchObject([{ outcome: { status: 'interrupted' } }]);
  });

  it('is stopped with its caller’s subtree in one operation, queued or running (S4, S5)', async () => {
    const { supervisor, start, watch } = tree(
      {
        lead: [
          create('ada'),
          send('ada', 'one'),
          create('ben'),
          send('ben', 'two'),
          { hang: true },
        ],
        one: [{ hang: true }],
      },
      { limits: { maxLiveAgents: 2 } },
    );
    const handle = start();
    await watch.next('turn_started', ({ depth, turn }) => depth === 0 && turn === 5);
    await watch.next('turn_started', ({ depth }) => depth === 1);

    const receipts = await within(
      supervisor.interrupt(handle.id, { scope: 'subtree', reason: 'enough' }),
      'the subtree',
    );

    expect(receipts.map(({ stage }) => stage)).toEqual([
      'interrupted',
      'interrupted',
      'not_started',
    ]);
    expect(watch.of('task_completed').map(({ outcome }) => outcome.error?.message)).toEqual(
      Array(3).fill('enough'),
    );
    expect(supervisor.tree()).toEqual([]);
  });

  it('of an agent that stays outlives its runs, and ends with its subtree (S5, X5)', async () => {
    const { opened, open } = gate();
    const { supervisor, session, agent, watch } = tree({
      lead: [create('ada'), send('ada', 'one'), create('ben'), send('ben', 'two'), { text: 'led' }],
      again: [{ text: 'again done' }],
      one: [{ after: opened, text: 'one done' }],
      two: [{ hang: true }],
    });
    const main = await supervisor.spawn(agent);

    const led = await main.ask('lead', { timeoutMs: 20_000 });
    const again = await main.ask('again', { timeoutMs: 20_000 });
    await watch.next('turn_started', ({ taskId }) => taskId === 't3');
    expect([led.text, again.text]).toEqual(['led', 'again done']);
    expect(supervisor.tree()).toMatchObject([
      { agentId: main.id, status: 'idle', children: [{ name: 'ada' }, { name: 'ben' }] },
    ]);
    expect(supervisor.totals(main.id).agents).toBe(3);
    await within(main.interrupt({ scope: 'run' }), 'the run');
    open();
    expect((await within(session.wait('t2'), 'the first'))?.outcome.text).toBe('one done');

    const receipts = await within(main.interrupt({ scope: 'subtree' }), 'the subtree');

    expect(receipts.filter(({ agentId }) => agentId !== main.id)).toMatchObject([
      { stage: 'interrupted' },
    ]);
    expect(supervisor.totals(main.id).usage.inputTokens).toBe(
      watch
        .of('task_completed')
        .reduce((sum, { outcome }) => sum + outcome.usage.own.inputTokens, 0),
    );
  });

  it('is below whoever is left above it, when its caller has ended (C44, C45, S5)', async () => {
    const { opened, open } = gate();
    const agentCall: Step = {
      calls: [['Agent', { description: 'lead', prompt: 'lead', subagent_type: 'main' }]],
    };
    const { supervisor, agent, watch } = tree(
      {
        top: [agentCall, { after: opened, text: 'up' }],
        lead: [
          create('ada'),
          send('ada', 'one'),
          create('ben'),
          send('ben', 'two'),
          { text: 'led' },
        ],
        two: [plain, { hang: true }],
      },
      { limits: { maxSpawnDepth: 2 } },
    );
    const top = defineAgent({ name: 'top', ownTools: agentTools({ agents: [agent] }) });
    const handle = supervisor.start({ goal: 'top', agent: top });
    const isOf = (name: string) => (event: { outcome: { agent: { name: string } } }) =>
      event.outcome.agent.name === name;
    await watch.next('task_completed', isOf('main'));
    await watch.next('task_completed', isOf('ada'));
    await watch.next('turn_started', ({ turn, depth }) => turn === 2 && depth === 2);
    // It is counted as live again once its call has its result.
    await watch.next('tool_completed', ({ depth }) => depth === 0);

    expect(supervisor.tree()).toMatchObject([
      { name: 'top', children: [{ name: 'ben', depth: 2, children: [] }] },
    ]);
    expect(supervisor.tree({ ended: true })).toMatchObject([
      { name: 'top', children: [{ name: 'main', children: [{ name: 'ada' }, { name: 'ben' }] }] },
    ]);
    expect(supervisor.totals(handle.id)).toMatchObject({ agents: 4, live: 2 });

    const receipts = await within(handle.interrupt({ scope: 'subtree' }), 'the subtree');
    open();

    expect(receipts.map(({ stage }) => stage)).toEqual(['interrupted', 'interrupted']);
    const ended = watch.of('task_completed').map(({ outcome }) => outcome);
    const { usage, agents } = supervisor.totals(handle.id);
    expect(agents).toBe(4);
    expect(usage.inputTokens).toBe(
      ended.reduce((sum, { usage: { own } }) => sum + own.inputTokens, 0),
    );
  });
});
