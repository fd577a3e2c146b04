// Checks task handles: where a task stands, its one outcome, its interrupt, its pause, its events.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Model } from '#src/index.js';
import { gate, inShort, supervise, toolFixture, turns, within } from './support.ts';

const oneAtATime = { limits: { maxLiveAgents: 1 } };
const nothing = z.object({});

describe('a handle', () => {
  it('knows where its task stands, from the queue to its end', async () => {
    const { supervisor, watch } = supervise(
      { default: [{ text: 'so far', hang: true }], agents: { quick: [{ text: 'done' }] } },
      { ...oneAtATime, agents: [{ name: 'quick' }] },
    );
    const first = supervisor.start({ goal: 'a' });
    const second = supervisor.start({ goal: 'b', agent: 'quick' });
    await watch.next('turn_started', ({ taskId }) => taskId === first.id);

    expect([first.status(), second.status()]).toEqual(['waiting', 'queued']);
    await within(first.interrupt(), 'the receipts');
    const outcome = await within(second.result(), 'the outcome');

    expect([first.status(), second.status()]).toEqual(['interrupted', 'completed']);
    expect(outcome.taskId).toBe(second.id);
    expect(await second.result()).toBe(outcome);
  });

  it('gives a receipt per agent once nothing of the run is left (S4)', async () => {
    const { supervisor, watch } = supervise({ default: [{ chunks: ['so ', 'far'], hang: true }] });
    const handle = supervisor.start({ goal: 'a', name: 'only' });
    const { agentId } = await watch.next('model_delta');

    const receipts = await within(handle.interrupt({ reason: 'enough' }), 'the receipts');

    expect(receipts).toMatchObject([
      { agentId, path: '/only', stage: 'interrupted', partial: { text: 'so far' } },
    ]);
    expect(supervisor.tree()).toEqual([]);
    expect(await handle.result()).toMatchObject({
      status: 'interrupted',
      exitReason: 'interrupted',
      text: 'so far',
      error: { code: 'interrupted', message: 'enough' },
      partial: { text: 'so far', phase: 'waiting_for_model' },
    });
    expect(watch.of('interrupt_requested')).toMatchObject([{ reason: 'enough', target: '/only' }]);
    expect(watch.of('interrupt_completed')).toMatchObject([{ target: '/only', receipts: 1 }]);
  });

  it('has told the model of the host when interrupt() returns, before its thread has heard of it (S2)', async () => {
    const signals: AbortSignal[] = [];
    const asked = gate();
    const model: Model = {
      id: 'silent',
      respond: (_request, { signal }) => {
        signals.push(signal);
        if (signals.length === 3) asked.open();
        return new Promise(() => {});
      },
    };
    const { supervisor } = supervise({ default: [] }, { agents: [{ name: 'silent', model }] });
    const handles = ['a', 'b', 'c'].map((goal) => supervisor.start({ goal, agent: 'silent' }));
    await within(asked.opened, 'the requests');

    const receipts = handles.map((handle) => handle.interrupt());
    const seen = signals.map((signal) => signal.aborted);

    expect(seen).toEqual([true, true, true]);
    expect((await within(Promise.all(receipts), 'the receipts')).flat()).toMatchObject(
      handles.map(() => ({ stage: 'interrupted' })),
    );
  });

  it('answers an interrupt of the ended with already_dead, by every address (S1)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const handle = supervisor.start({ goal: 'a', name: 'one' });
    const { agent } = await within(handle.result(), 'the outcome');

    const dead = [
      await handle.interrupt(),
      await supervisor.interrupt(handle.id),
      await supervisor.interrupt(agent.id),
      await supervisor.interrupt('/one'),
    ];

    for (const receipts of dead) {
      expect(receipts).toMatchObject([{ agentId: agent.id, path: '/one', stage: 'already_dead' }]);
    }
    expect(await handle.result()).toMatchObject({ status: 'completed', text: 'done' });
  });

  it('ends a queued task that is interrupted without calling a model (S8)', async () => {
    const { supervisor, model, watch } = supervise({ default: [{ hang: true }] }, oneAtATime);
    const first = supervisor.start({ goal: 'a' });
    const second = supervisor.start({ goal: 'b', name: 'waiting' });
    await watch.next('turn_started');

    const receipts = await within(second.interrupt(), 'the receipts');
    const outcome = await within(second.result(), 'the outcome');
    await within(first.interrupt(), 'the receipts');

    expect(receipts).toMatchObject([{ path: '/waiting', stage: 'not_started' }]);
    expect(outcome).toMatchObject({
      status: 'interrupted',
      partial: { phase: 'queued', turns: 0 },
      agent: { path: '/waiting' },
    });
    expect(model.requests()).toHaveLength(1);
    expect(watch.of('task_started')).toHaveLength(1);
  });

  it('holds a task in the line while it is paused, and passes others by', async () => {
    const { supervisor, watch, model } = supervise({ default: [{ text: 'done' }] }, oneAtATime);
    const blocker = supervisor.start({ goal: 'first' });
    const paused = supervisor.start({ goal: 'held' });
    const free = supervisor.start({ goal: 'free' });

    paused.pause();
    await within(Promise.all([blocker.result(), free.result()]), 'the others');
    await turns();
    expect([paused.status(), model.requests().length]).toEqual(['queued', 2]);
    paused.resume();

    expect(inShort(await within(paused.result(), 'the held one'))[0]).toBe('goal');
    expect(watch.of('task_started').at(-1)?.taskId).toBe(paused.id);
  });

  it('holds an agent that has not begun, and a run that is on at the end of its turn (C46)', async () => {
    const { opened, open } = gate();
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      input: nothing,
      run: () => opened,
    });
    const { supervisor, model, watch } = supervise(
      { default: [{ toolCalls: [{ name: 'wait', input: {} }] }, { text: 'done' }] },
      { tools: [wait] },
    );
    const early = supervisor.start({ goal: 'early' });
    early.pause();
    const late = supervisor.start({ goal: 'late' });
    await watch.next('tool_started', ({ taskId }) => taskId === late.id);

    late.pause();
    open();
    await watch.next('turn_committed', ({ taskId, part }) => {
      return taskId === late.id && part === 'tool_results';
    });
    const third = await within(supervisor.delegate({ goal: 'beside them' }), 'the third');

    expect(third.status).toBe('completed');
    expect([early.status(), late.status()]).toEqual(['running', 'waiting']);
    // The two of the third, and the one of the run that was on.
    expect(model.requests()).toHaveLength(3);
    expect(watch.of('task_paused').map(({ taskId }) => taskId)).toEqual([early.id, late.id]);
    late.resume();
    expect((await within(late.result(), 'the run that was on')).status).toBe('completed');
    early.resume();
    expect((await within(early.result(), 'the resumed one')).status).toBe('completed');
  });

  it('can be interrupted while it is paused (S5)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'never' }] });
    const handle = supervisor.start({ goal: 'a' });
    handle.pause();

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts).toHaveLength(1);
    expect((await handle.result()).status).toBe('interrupted');
    expect(model.requests()).toEqual([]);
  });

  it('gives the events of its task and of what it delegated, and ends with them (O1)', async () => {
    const delegates = defineTool({
      name: 'hand_over',
      description: 'Delegates.',
      input: nothing,
      run: async (_input, tool) =>
        (await tool.delegate([{ goal: 'below', agent: 'child' }]))[0]?.text,
    });
    const { supervisor } = supervise(
      {
        default: [{ toolCalls: [{ name: 'hand_over', input: {} }] }, { text: 'done' }],
        agents: { child: [{ text: 'from below' }] },
      },
      { tools: [delegates], agents: [{ name: 'child', tools: [] }] },
    );
    const other = supervisor.start({ goal: 'other', agent: 'child' });
    const handle = supervisor.start({ goal: 'mine' });

    const seen: string[] = [];
    for await (const event of handle.events()) {
      if (event.type === 'task_queued') seen.push(`queued ${event.goal}`);
      if (event.type === 'task_completed') seen.push(`completed ${event.outcome.text}`);
    }
    await within(other.result(), 'the other');

    expect(seen).toEqual(['queued mine', 'queued below', 'completed from below', 'completed done']);
  });

  it('gives all events of a task that was refused at once, however late they are read (O1)', async () => {
    const { supervisor } = supervise(
      { default: [{ hang: true }] },
      { limits: { maxLiveAgents: 1, maxQueued: 0 } },
    );
    const first = supervisor.start({ goal: 'a' });
    const refused = supervisor.start({ goal: 'b' });
    await refused.result();

    const types: string[] = [];
    for await (const { type } of refused.events()) types.push(type);

    expect(types).toEqual(['task_queued', 'task_completed']);
    await within(first.interrupt(), 'the receipts');
  });

  it('settles after the event that explains it (O3)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const order: string[] = [];
    supervisor.on('task_completed', () => order.push('event'));

    const settled = supervisor.start({ goal: 'a' }).result();
    await within(
      settled.then(() => order.push('result')),
      'the outcome',
    );

    expect(order).toEqual(['event', 'result']);
  });

  it('of a task whose tool module is bad has an outcome that says so', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'never' }] });

    const handle = supervisor.start({ goal: 'a', tools: [toolFixture('missing')] });
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'tool_module_failed' } });
    expect(model.requests()).toEqual([]);
  });
});
