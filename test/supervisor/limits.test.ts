// Checks what a program meets at the supervisor's limits: queues in order, refusals by name, pauses (V7).
import { describe, expect, it } from 'vitest';
import { inShort, supervise, turns, within } from './support.ts';

const done = { default: [{ text: 'done' }] };
const hanging = { default: [{ hang: true as const }], agents: { quick: [{ text: 'done' }] } };
const quick = { agents: [{ name: 'quick' }] };

describe('limits', () => {
  it('run no more than maxLiveAgents at a time, in the order of arrival (V7)', async () => {
    const { supervisor, watch } = supervise(done, { limits: { maxLiveAgents: 2 } });
    const handles = Array.from({ length: 20 }, (_, at) => supervisor.start({ goal: `${at}` }));

    await within(supervisor.drain(), 'the end of all');

    let live = 0;
    for (const { type } of watch.events) {
      if (type === 'agent_started') live += 1;
      if (type === 'agent_stopped') live -= 1;
      expect(live).toBeLessThanOrEqual(2);
    }
    expect(watch.of('task_queued').map(({ taskId }) => taskId)).toEqual(
      handles.map(({ id }) => id),
    );
    expect(handles.map((handle) => handle.status())).toEqual(Array(20).fill('completed'));
  });

  it('with overflow reject refuse what finds no slot, by name (V7)', async () => {
    const { supervisor, watch, model } = supervise(hanging, {
      ...quick,
      limits: { maxLiveAgents: 1, overflow: 'reject' },
    });
    const first = supervisor.start({ goal: 'a' });

    const second = await within(supervisor.delegate({ goal: 'b' }), 'the outcome');
    await within(first.interrupt(), 'the receipts');
    const third = await within(supervisor.delegate({ goal: 'c', agent: 'quick' }), 'the third');

    expect(inShort(second)).toEqual(['rejected', 'max_live_agents', '']);
    expect(second).toMatchObject({
      status: 'failed',
      error: { message: 'max_live_agents: 1 agents are live already' },
      agent: { id: '' },
    });
    expect(third.text).toBe('done');
    expect(watch.of('agent_started').length).toBe(watch.of('agent_stopped').length);
    expect(model.requests().length).toBeLessThanOrEqual(2);
  });

  it('refuse the root that the queue has no room for, and only that (V7)', async () => {
    const { supervisor } = supervise(hanging, {
      ...quick,
      limits: { maxLiveAgents: 1, maxQueued: 2 },
    });
    const first = supervisor.start({ goal: 'a' });

    const rest = supervisor.delegate([1, 2, 3].map((at) => ({ goal: `${at}`, agent: 'quick' })));
    await turns();
    await within(first.interrupt(), 'the receipts');
    const outcomes = await within(rest, 'the outcomes');

    expect(outcomes.map(inShort)).toEqual([
      ['goal', undefined, 'done'],
      ['goal', undefined, 'done'],
      ['rejected', 'max_queued', ''],
    ]);
  });

  it('give the room in the queue back when a waiting task is interrupted (V7)', async () => {
    const { supervisor } = supervise(hanging, {
      ...quick,
      limits: { maxLiveAgents: 1, maxQueued: 1 },
    });
    const first = supervisor.start({ goal: 'a' });
    const second = supervisor.start({ goal: 'b' });
    await second.interrupt();
    const third = supervisor.start({ goal: 'c', agent: 'quick' });

    expect(third.status()).toBe('queued');
    await within(first.interrupt(), 'the receipts');
    expect((await within(third.result(), 'the third')).text).toBe('done');
  });
});

describe('a paused supervisor', () => {
  it('lets tasks of the program wait and what runs go on', async () => {
    const { supervisor, watch, model } = supervise(hanging, quick);
    const running = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');

    supervisor.pause();
    const waiting = supervisor.start({ goal: 'b', agent: 'quick' });
    await turns();
    expect([running.status(), waiting.status()]).toEqual(['waiting', 'queued']);
    expect(supervisor.totals()).toMatchObject({ live: 1, queued: 1, agents: 1 });
    expect(model.requests()).toHaveLength(1);
    supervisor.resume();

    expect((await within(waiting.result(), 'the waiting one')).text).toBe('done');
    expect(watch.of('supervisor_paused').length + watch.of('supervisor_resumed').length).toBe(2);
    await within(running.interrupt(), 'the receipts');
  });

  it('resolves drain when nothing is unfinished, at once when nothing is', async () => {
    const { supervisor } = supervise(done);
    await within(supervisor.drain(), 'nothing');
    supervisor.pause();
    const handle = supervisor.start({ goal: 'a' });
    let isDrained = false;
    const draining = supervisor.drain().then(() => {
      isDrained = true;
    });

    await turns();
    expect(isDrained).toBe(false);
    supervisor.resume();
    await within(draining, 'the drain');

    expect(handle.status()).toBe('completed');
  });
});
