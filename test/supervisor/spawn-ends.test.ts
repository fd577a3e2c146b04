// Checks how spawned agents and their runs end: interrupts, stops, kills, crashes, close.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { askParentTool, defineAgent, defineTool } from '#src/index.js';
import { delegate, handsTo, named } from './family.ts';
import {
  inShort,
  rejection,
  supervise,
  superviseUnacknowledged,
  toolFixture,
  turns,
  within,
} from './support.ts';

const analyst = defineAgent({ name: 'analyst' });
const soon = { timeoutMs: 20_000 };

const ask = <Value>(answer: Promise<Value>): Promise<Value> => within(answer, 'the answer');
const spawned = <Value>(agent: Promise<Value>): Promise<Value> => within(agent, 'the agent');

describe('the end of a spawned agent, or of its run,', () => {
  it('lives on after an interrupt, its history repaired, its next run begun (S5)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'spin', input: {} }] }, { text: 'unreachable' }] },
      { tools: [toolFixture('stubborn')], agents: [{ name: 'analyst' }] },
    );
    const agent = await spawned(supervisor.spawn('analyst'));
    const first = agent.ask('spin', soon);
    const second = agent.ask('spin again', soon);
    await watch.next('tool_started');
    expect(agent.status).toBe('running');

    const receipts = await within(agent.interrupt({ reason: 'enough' }), 'the receipts');
    const outcome = await ask(first);
    await watch.next('tool_started', ({ taskId }) => taskId !== outcome.taskId);
    await within(supervisor.interrupt('/analyst'), 'the receipts');

    expect(receipts).toMatchObject([
      { agentId: agent.id, stage: 'interrupted', partial: { turns: 1 } },
    ]);
    expect(outcome).toMatchObject({ status: 'interrupted', error: { message: 'enough' } });
    expect((await ask(second)).status).toBe('interrupted');
    expect(pairingFault(agent.history())).toBeNull();
    expect(agent.status).toMatch(/^(idle|passivated)$/);
    expect(watch.of('agent_stopped')).toEqual([]);
  });

  it('ends a run that is interrupted in the tick it was asked, without a model call (S8)', async () => {
    const { supervisor, model, watch } = supervise({ default: [{ text: 'done' }] });
    const agent = await spawned(supervisor.spawn(analyst));
    const answer = agent.ask('a', soon);

    const receipts = await within(agent.interrupt(), 'the receipts');

    expect(receipts).toMatchObject([{ stage: 'not_started' }]);
    expect(await ask(answer)).toMatchObject({ status: 'interrupted', turns: 0 });
    expect(await ask(agent.ask('b', soon))).toMatchObject({ status: 'completed', turns: 1 });
    expect(model.requests()).toHaveLength(1);
    expect(watch.of('task_completed')).toHaveLength(2);
  });

  it('remembers what it was asked in a run that never began, as its thread does (S8, S9)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] });
    const agent = await spawned(supervisor.spawn(analyst));
    const first = agent.ask('a', soon);
    await within(agent.interrupt(), 'the receipts');
    await ask(first);

    await ask(agent.ask('b', soon));

    const texts = agent.history().map(({ content }) => content);
    expect(texts.slice(0, 2)).toEqual(model.requests()[0]?.messages.map(({ content }) => content));
    expect(texts).toHaveLength(3);
  });

  it('ends a run that was parked and whose next activation has not taken it up (S5, S8, V7)', async () => {
    const { supervisor, watch } = supervise(
      { agents: { analyst: [handsTo('leaf'), { hang: true }], leaf: [{ text: 'leaf' }] } },
      {
        tools: [delegate],
        agents: named('leaf'),
        limits: { maxLiveAgents: 1 },
        threads: { parking: 'when-needed' },
      },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const answer = agent.ask('a', soon);
    await watch.next('agent_activated');

    const receipts = await within(agent.interrupt({ reason: 'enough' }), 'the receipts');

    expect(receipts).toMatchObject([{ agentId: agent.id, stage: 'interrupted' }]);
    expect(await ask(answer)).toMatchObject({
      status: 'interrupted',
      error: { message: 'enough' },
    });
    expect(agent.history().at(-1)).toMatchObject({
      content: [{ type: 'tool_result', content: 'leaf' }],
    });
  });

  it('ends a run whose interrupt crosses its park, whoever it had asked (S5, V7)', async () => {
    const asking = { toolCalls: [{ name: 'ask_parent', input: { question: 'Which?' } }] };
    const { supervisor, watch } = supervise(
      { agents: { analyst: [asking], leaf: [{ text: 'leaf' }] } },
      { tools: [askParentTool()], agents: named('leaf'), limits: { maxLiveAgents: 1 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const answer = agent.ask('a', soon);
    await watch.next('question_asked');
    // What begins to wait may be refused at once: it is asked for its place a turn later.
    await turns();
    const receipts = new Promise((resolve) => {
      const interrupt = (): void => resolve(agent.interrupt({ reason: 'enough' }));
      supervisor.on('task_queued', () => queueMicrotask(interrupt));
    });
    const other = supervisor.delegate({ goal: 'b', agent: 'leaf' });

    expect(await within(receipts, 'the receipts')).toMatchObject([{ agentId: agent.id }]);
    expect(inShort(await ask(answer))).toEqual(['interrupted', 'interrupted', '']);
    expect((await ask(other)).text).toBe('leaf');
    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
  });

  it('withdraws a run that waits, by its task, and leaves the others (S8)', async () => {
    const { supervisor, model, watch } = supervise({
      agents: { analyst: [{ text: 'so far', hang: true }] },
    });
    const agent = await spawned(supervisor.spawn(analyst));
    const first = agent.ask('a', soon);
    const second = agent.ask('b', soon);
    await watch.next('model_delta');
    const [, queued] = watch.of('task_queued');
    const receipts = await within(supervisor.interrupt(queued?.taskId ?? ''), 'the receipts');

    expect(receipts).toMatchObject([{ agentId: agent.id, stage: 'not_started' }]);
    expect(await ask(second)).toMatchObject({ turns: 0, agent: { id: agent.id } });
    expect(supervisor.tree()).toMatchObject([{ goal: 'a', status: 'waiting', children: [] }]);
    await within(agent.interrupt(), 'the receipts');
    expect(inShort(await ask(first))).toEqual(['interrupted', 'interrupted', 'so far']);
    expect(model.requests()).toHaveLength(1);
  });

  it('is killed when its run ignores the ladder; what waits ends with it (S3)', async () => {
    const { supervisor, clock, watch } = superviseUnacknowledged(
      { default: [{ toolCalls: [{ name: 'ignore', input: {} }] }] },
      { tools: [toolFixture('stubborn')] },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const first = agent.ask('a', { timeoutMs: 1e6 });
    const second = agent.ask('b', { timeoutMs: 1e6 });
    await watch.next('tool_started');

    const receipts = agent.interrupt();
    await within(clock.advance(2_000), 'the stop');
    await within(clock.advance(2_000), 'the kill');

    expect(await within(receipts, 'the receipts')).toMatchObject([{ stage: 'killed' }]);
    expect(await ask(first)).toMatchObject({ status: 'interrupted', exitReason: 'killed' });
    expect(await ask(second)).toMatchObject({ error: { code: 'actor_terminated' }, turns: 0 });
    expect(agent.status).toBe('ended');
    expect(agent.history()).toHaveLength(3);
  });

  it('ends with its crash: the run in hand crashed, those that wait rejected (V1)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'exit', input: {} }] }] },
      { tools: [toolFixture('stubborn')] },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const [first, second] = await ask(
      Promise.all([agent.ask('a', soon), agent.ask('b', soon)] as const),
    );

    expect([first.exitReason, second.exitReason]).toEqual(['crashed', 'rejected']);
    expect(second.error?.code).toBe('actor_terminated');
    expect(watch.of('agent_stopped')).toMatchObject([{ agentId: agent.id, reason: 'crashed' }]);
  });

  it('ends a parked run with its children, and takes the next (S4)', async () => {
    const { supervisor, watch } = supervise(
      {
        agents: {
          analyst: [handsTo('leaf'), { text: 'unreachable' }],
          leaf: [{ text: 'so far', hang: true }],
        },
      },
      { tools: [delegate], agents: named('leaf'), limits: { maxLiveAgents: 1 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const first = agent.ask('a', soon);
    await watch.next('model_delta');
    expect(agent.status).toBe('waiting');

    const receipts = await within(agent.interrupt(), 'the receipts');
    const outcome = await ask(first);
    const second = agent.ask('b', soon);
    await watch.next('task_started', ({ parentId, seq }) => {
      return parentId === agent.id && seq > outcome.turns && watch.of('task_started').length === 4;
    });
    await within(supervisor.interrupt(agent.id), 'the receipts');

    expect(receipts.map(({ stage }) => stage)).toEqual(['interrupted', 'interrupted']);
    expect(outcome).toMatchObject({ status: 'interrupted', turns: 1 });
    expect((await ask(second)).status).toBe('interrupted');
    expect(pairingFault(agent.history())).toBeNull();
    expect(agent.status).toMatch(/^(idle|passivated)$/);
  });

  it('gives each run the budget anew (V10)', async () => {
    const { supervisor } = supervise(
      { default: [{ text: 'done', usage: { inputTokens: 10, outputTokens: 10 } }] },
      { budget: { maxTokens: 5_000, perTree: { maxTokens: 5_000 } } },
    );
    const agent = await spawned(supervisor.spawn(analyst));

    const outcomes = [];
    for (const goal of ['a', 'b', 'c']) outcomes.push(await ask(agent.ask(goal, soon)));

    expect(outcomes.map(inShort)).toEqual(Array(3).fill(['goal', undefined, 'done']));
  });

  it('is killed at once; S5 what is queued ends interrupted (S6)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] });
    const agent = await spawned(supervisor.spawn(analyst));
    const answers = Promise.all([agent.ask('a', soon), agent.ask('b', soon)] as const);
    await watch.next('turn_started');

    const receipts = await within(agent.kill(), 'the receipts');
    const [first, second] = await ask(answers);

    expect(receipts).toMatchObject([{ agentId: agent.id, stage: 'killed' }]);
    expect(first).toMatchObject({ exitReason: 'killed', error: { code: 'killed' } });
    expect(second).toMatchObject({ exitReason: 'interrupted', error: { code: 'killed' } });
    expect(await within(agent.stop(), 'the receipts')).toMatchObject([{ stage: 'already_dead' }]);
    expect(await supervisor.interrupt(agent.id)).toMatchObject([{ stage: 'already_dead' }]);
  });

  it('ends by scope agent, its run first', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'so far', hang: true }] });
    const agent = await spawned(supervisor.spawn(analyst));
    const answer = agent.ask('a', soon);
    await watch.next('model_delta');

    await within(supervisor.interrupt(agent.path, { scope: 'agent' }), 'the receipts');

    expect(inShort(await ask(answer))).toEqual(['interrupted', 'interrupted', 'so far']);
    const ends = watch.events.filter(({ type }) => /_completed|_stopped/.test(type));
    expect(ends.map(({ type }) => type).slice(0, 2)).toEqual(['task_completed', 'agent_stopped']);
    expect(agent.status).toBe('ended');
  });

  it('ends with its supervisor, what waits for a slot too (V6)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ hang: true }] },
      { limits: { maxLiveAgents: 1 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const never = rejection(supervisor.spawn(analyst, { name: 'never' }));
    const answers = Promise.all([agent.ask('a', soon), agent.ask('b', soon)] as const);
    await watch.next('turn_started');

    await within(supervisor.close(), 'close');

    expect((await ask(answers)).map(({ status }) => status)).toEqual(Array(2).fill('interrupted'));
    expect(await never).toMatchObject({ code: 'closed' });
    expect(await rejection(supervisor.spawn(analyst))).toMatchObject({ code: 'closed' });
  });

  it('ends what a run left behind before the run is over (V5)', async () => {
    const leave = defineTool({
      name: 'leave',
      description: 'Hands a task over and does not wait for it.',
      input: z.object({}),
      run(_input, tool) {
        void tool.delegate([{ goal: 'left', agent: 'leaf' }]);
        return 'left it';
      },
    });
    const { supervisor, watch } = supervise(
      {
        agents: {
          analyst: [{ toolCalls: [{ name: 'leave', input: {} }] }, { text: 'done', delayMs: 50 }],
          leaf: [{ hang: true }],
        },
      },
      { tools: [leave], agents: named('leaf') },
    );
    const agent = await spawned(supervisor.spawn(analyst));

    const outcomes = [await ask(agent.ask('a', soon)), await ask(agent.ask('b', soon))];

    expect(outcomes.map(inShort)).toEqual(Array(2).fill(['goal', undefined, 'done']));
    const ends = watch.of('task_completed').map(({ outcome }) => outcome.agent.name);
    expect(ends).toEqual(['leaf', 'analyst', 'leaf', 'analyst']);
    expect(agent.status).toMatch(/^(idle|passivated)$/);
  });
});
