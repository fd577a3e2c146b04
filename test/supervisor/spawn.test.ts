// Checks spawned agents: what they remember, their order, their slot, their clocks and budgets, and what they refuse.
import { describe, expect, it } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import { defineAgent } from '#src/index.js';
import { delegate, handsTo, named } from './family.ts';
import {
  inShort,
  rejection,
  supervise,
  superviseInManualTime,
  toolFixture,
  turns,
  within,
} from './support.ts';

const analyst = defineAgent({ name: 'analyst' });
const soon = { timeoutMs: 20_000 };

const ask = <Value>(answer: Promise<Value>): Promise<Value> => within(answer, 'the answer');
const spawned = <Value>(agent: Promise<Value>): Promise<Value> => within(agent, 'the agent');

describe('a spawned agent', () => {
  it('remembers what was said from run to run', async () => {
    const { supervisor, model } = supervise({ agents: { analyst: [{ text: 'yes' }] } });
    const agent = await spawned(supervisor.spawn(analyst));

    const first = await ask(agent.ask('one?', soon));
    const second = await ask(agent.ask('two?', { ...soon, context: 'of two' }));

    expect(first).toMatchObject({ status: 'completed', text: 'yes', agent: { path: '/analyst' } });
    expect(second).toMatchObject({ status: 'completed', turns: 1 });
    expect(second.agent.id).toBe(first.agent.id);
    expect(model.requests().map(({ messages }) => messages.length)).toEqual([1, 3]);
    expect(agent.history().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(agent.history()).toEqual(supervisor.transcript(agent.id));
    expect(agent.usage.modelCalls).toBe(2);
  });

  it('takes one run at a time, in the order they were asked (M1)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'done' }] });
    const agent = await spawned(supervisor.spawn(analyst));

    agent.tell('a');
    const answers = ['b', 'c', 'd'].map((goal) => agent.ask(goal, soon));
    await ask(Promise.all(answers));

    const story = watch.events.flatMap((event) => {
      if (event.type === 'task_queued') return [`queued ${event.goal} at ${event.position}`];
      if (event.type === 'task_started') return [`started ${event.taskId}`];
      return event.type === 'task_completed' ? [`completed ${event.taskId}`] : [];
    });
    const [a, b, c, d] = watch.of('task_queued').map(({ taskId }) => taskId);
    expect(story).toEqual([
      'queued a at 0',
      `started ${a}`,
      'queued b at 0',
      'queued c at 1',
      'queued d at 2',
      ...[a, b, c].flatMap((each, at) => [`completed ${each}`, `started ${[b, c, d][at]}`]),
      `completed ${d}`,
    ]);
    expect(watch.of('agent_started')).toHaveLength(1);
    expect(watch.of('agent_started')[0]).not.toHaveProperty('taskId');
  });

  it('holds its slot while it runs and gives it back when it is stopped', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ text: 'done' }], agents: { analyst: [{ hang: true }] } },
      { limits: { maxLiveAgents: 1 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const run = agent.ask('still here?', soon);
    await watch.next('turn_started');
    const waiting = supervisor.start({ goal: 'later' });
    const next = supervisor.spawn(defineAgent({ name: 'next' }));
    await within(
      watch.next('task_queued', ({ goal }) => goal === 'later'),
      'the task',
    );
    await turns();

    expect(waiting.status()).toBe('queued');
    expect(supervisor.totals()).toMatchObject({ live: 1, queued: 2 });
    expect(supervisor.totals(agent.id)).toMatchObject({ agents: 1, live: 1, queued: 0 });
    expect(supervisor.tree()).toMatchObject([
      { path: '/analyst', status: 'waiting', children: [] },
      { status: 'queued', goal: 'later' },
    ]);
    const receipts = await within(agent.stop(), 'the receipts');

    expect(receipts).toMatchObject([
      { agentId: agent.id, stage: expect.stringMatching(/^(interrupted|stopped)$/) },
    ]);
    expect((await ask(run)).status).toBe('interrupted');
    expect(await within(waiting.result(), 'the task')).toMatchObject({ status: 'completed' });
    expect((await spawned(next)).path).toBe('/next');
    expect(agent.status).toBe('ended');
  });

  it('rejects ask_timeout at its deadline and ends the run (M7)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime({ default: [{ hang: true }] });
    const agent = await spawned(supervisor.spawn(analyst));
    const running = rejection(agent.ask('a', { timeoutMs: 50 }));
    const waiting = rejection(agent.ask('b', { timeoutMs: 50 }));
    await watch.next('turn_started');

    await within(clock.advance(50), 'the deadline');

    expect(await ask(running)).toMatchObject({ code: 'ask_timeout' });
    expect(await ask(waiting)).toMatchObject({ code: 'ask_timeout' });
    // The second may have begun when the first was gone: its deadline ends it either way.
    for (const { taskId } of watch.of('task_queued')) {
      const { outcome } = await watch.next('task_completed', (event) => event.taskId === taskId);
      expect(outcome.status).toBe('interrupted');
    }
    expect(agent.status).toMatch(/^(idle|passivated)$/);
  });

  it('ends a run whose signal aborts, also one that was aborted before', async () => {
    const { supervisor, model, watch } = supervise({ default: [{ hang: true }] });
    const agent = await spawned(supervisor.spawn(analyst));
    const control = new AbortController();
    const answer = agent.ask('a', { ...soon, signal: control.signal });
    await watch.next('turn_started');

    control.abort();
    const outcome = await ask(answer);
    const late = await ask(agent.ask('b', { ...soon, signal: control.signal }));

    expect([outcome.status, late.status]).toEqual(['interrupted', 'interrupted']);
    expect(model.requests()).toHaveLength(1);
  });

  it('runs its clocks only while a run is on, and survives its own timeout (V8)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime(
      { default: [{ hang: true }] },
      { timeouts: { idleTimeoutMs: 1_000 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    await within(clock.advance(10_000), 'a long pause');
    expect(agent.status).toMatch(/^(idle|passivated)$/);
    const answer = agent.ask('a', { timeoutMs: 1e6 });
    await watch.next('turn_started');

    await within(clock.advance(1_000), 'the idle timeout');

    expect(inShort(await ask(answer))).toMatchObject(['idle_timeout', 'idle_timeout', '']);
    expect(agent.status).toMatch(/^(idle|passivated)$/);
    expect(watch.of('timeout_fired')).toHaveLength(1);
  });

  it('delegates, and gives its slot to whom it delegated (V7)', async () => {
    const { supervisor, watch } = supervise(
      {
        agents: { analyst: [handsTo('leaf', 'leaf'), { text: 'both' }], leaf: [{ text: 'leaf' }] },
      },
      { tools: [delegate], agents: named('leaf'), limits: { maxLiveAgents: 1 } },
    );
    const agent = await spawned(supervisor.spawn(analyst));

    const first = await ask(agent.ask('a', soon));
    const second = await ask(agent.ask('b', soon));

    expect([first.text, second.text]).toEqual(['both', 'both']);
    expect(first.usage.subtree.modelCalls).toBe(4);
    expect(agent.usage.modelCalls).toBe(8);
    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
    expect(pairingFault(agent.history())).toBeNull();
    expect(agent.history()).toHaveLength(8);
  });

  it('waits while the supervisor is paused, to be spawned and to be asked', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const agent = await spawned(supervisor.spawn(analyst));
    supervisor.pause();
    const answer = agent.ask('a', soon);
    const other = supervisor.spawn(analyst, { name: 'other' });
    await turns();
    expect(supervisor.tree()).toMatchObject([{ status: 'idle', children: [{ goal: 'a' }] }]);

    supervisor.resume();

    expect((await ask(answer)).status).toBe('completed');
    expect((await spawned(other)).path).toBe('/other');
  });
});

describe('what a spawned agent refuses', () => {
  it('an ask without a deadline, and a tell to a full mailbox or an ended agent (M5, M7)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] });
    const agent = await spawned(supervisor.spawn(analyst));
    for (const timeoutMs of [undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const asked = agent.ask('a', { timeoutMs } as typeof soon);
      expect(await rejection(asked)).toMatchObject({ code: 'ask_without_deadline' });
    }
    expect(await rejection(agent.ask(' ', soon))).toMatchObject({ code: 'invalid_task' });
    expect(() => agent.tell('a', { kontext: 'b' } as object)).toThrow(/no option "kontext"/);
    expect(await rejection(agent.interrupt({ scope: 'all' } as object))).toMatchObject({
      code: 'invalid_options',
    });

    for (let sent = 0; sent <= 1_025; sent += 1) agent.tell(`message ${sent}`);
    expect(watch.of('dead_letter')).toMatchObject([{ reason: 'full', to: '/analyst' }]);
    expect(await rejection(agent.ask('a', soon))).toMatchObject({ code: 'mailbox_full' });
    await within(agent.kill(), 'the receipts');
    agent.tell('too late');

    expect(watch.of('dead_letter').at(-1)).toMatchObject({ reason: 'terminated' });
    expect(await rejection(agent.ask('a', soon))).toMatchObject({ code: 'actor_terminated' });
  });

  it.each([
    ['nobody', {}, 'unknown_agent'],
    [{ name: 'no spaces' }, {}, 'invalid_agent'],
    [{ name: 'a', tools: ['nothing'] }, {}, 'unknown_tool'],
    [{ name: 'a' }, { name: '/b' }, 'invalid_options'],
    [{ name: 'a' }, { session: 's' }, 'invalid_options'],
    [{ name: 'taken' }, {}, 'name_taken'],
    [{ name: 'a', tools: [toolFixture('throws-at-load')] }, {}, 'tool_module_failed'],
  ] as const)('spawning %j with %j rejects %s', async (agent, options: object, code) => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    await spawned(supervisor.spawn({ name: 'taken' }));

    const refused = rejection(supervisor.spawn(agent as typeof analyst, options));

    expect(await within(refused, 'the refusal')).toMatchObject({ code });
  });

  it('a spawn beyond the slots, when overflow says so (V7)', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ text: 'done', delayMs: 500 }] },
      { limits: { maxLiveAgents: 1, overflow: 'reject' } },
    );
    const agent = await spawned(supervisor.spawn(analyst));
    const run = agent.ask('a', soon);
    await watch.next('turn_started');

    const refused = await rejection(supervisor.spawn(analyst, { name: 'second' }));

    expect(refused).toMatchObject({ code: 'max_live_agents' });
    expect((await ask(run)).status).toBe('completed');
  });
});
