// Checks how calls of `delegate_task` end: interrupts from every side, pauses, and that nothing outlives them (C32 to C36, C46).
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { turns, within } from '../../supervisor/support.ts';
import { directing, envelopeIn } from '../../support/directed.ts';

const batch = (...goals: readonly string[]) => ({
  toolsets: [],
  tasks: goals.map((goal) => ({ goal })),
});

describe('the end of a call', () => {
  it('reaches grandchildren when the parent is interrupted, each told as interrupted (C32, C33)', async () => {
    const { supervisor, watch } = directing(
      {
        plan: [
          { calls: [['delegate_task', { goal: 'middle', role: 'orchestrator', toolsets: [] }]] },
        ],
        middle: [{ calls: [['delegate_task', batch('leaf1', 'leaf2')]] }],
        leaf1: [{ hang: true }],
        leaf2: [{ hang: true }],
      },
      { tools: [delegateTaskTool()], limits: { maxSpawnDepth: 2 } },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await watch.next('turn_started', ({ depth }) => depth === 2);
    const depth2 = () => watch.of('turn_started').filter(({ depth }) => depth === 2).length;
    while (depth2() < 2) await watch.anything();

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts).toHaveLength(4);
    const ends = watch
      .of('task_completed')
      .map(({ outcome }) => [outcome.status, outcome.exitReason]);
    expect(ends).toEqual(Array(4).fill(['interrupted', 'interrupted']));
    expect(supervisor.tree()).toEqual([]);
  });

  it('cancels one child and leaves its siblings to finish (C33, C46, X12)', async () => {
    const { supervisor, watch } = directing({ stuck: [{ hang: true }] });
    const tools = supervisor.session('chat').tools(delegateTaskTool());
    const call = tools.call('delegate_task', batch('a', 'stuck', 'c'));
    const stuck = await watch.next('task_queued', ({ goal }) => goal === 'stuck');
    await watch.next('turn_started', ({ taskId }) => taskId === stuck.taskId);

    await within(supervisor.interrupt(stuck.taskId ?? ''), 'the receipts');

    const { results } = envelopeIn(await within(call, 'the result'));
    expect(results.map(({ status, exit_reason }) => [status, exit_reason])).toEqual([
      ['completed', 'goal'],
      ['interrupted', 'interrupted'],
      ['completed', 'goal'],
    ]);
    expect(results[1]).toMatchObject({ summary: '' });
    expect(results[1]).not.toHaveProperty('partial');
  });

  it('leaves nothing of a call that was given up (C34)', async () => {
    const { supervisor, watch } = directing({ a: [{ hang: true }], b: [{ hang: true }] });
    const tools = supervisor.session('chat').tools(delegateTaskTool());
    const control = new AbortController();
    const call = tools.call('delegate_task', batch('a', 'b'), { signal: control.signal });
    while (watch.of('turn_started').length < 2) await watch.anything();

    control.abort();

    const { results } = envelopeIn(await within(call, 'the result'));
    expect(results.map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
    expect(supervisor.tree()).toEqual([]);
    expect(watch.of('task_completed').map(({ outcome }) => outcome.status)).toEqual([
      'interrupted',
      'interrupted',
    ]);
  });

  it('keeps no delegation for a supervisor to come (C35)', async () => {
    const first = directing({ a: [{ hang: true }] });
    const call = first.supervisor
      .session('chat')
      .tools(delegateTaskTool())
      .call('delegate_task', batch('a'));
    await first.watch.next('turn_started');
    await within(first.supervisor.close(), 'close');
    await within(call, 'the result');

    const second = directing({});
    second.supervisor.session('chat').tools(delegateTaskTool());
    await turns();

    expect(second.supervisor.tree()).toEqual([]);
    expect(second.watch.of('task_queued')).toEqual([]);
  });

  it('refuses new delegations while the supervisor is paused, lets children finish, and goes on (C46)', async () => {
    let release = (): void => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { supervisor, watch } = directing({ slow: [{ after, text: 'slow done' }] });
    const tools = supervisor.session('chat').tools(delegateTaskTool());
    const running = tools.call('delegate_task', batch('slow'));
    await watch.next('turn_started');

    supervisor.pause();
    const refused = await within(tools.call('delegate_task', batch('a')), 'the refusal');
    release();
    const finished = await within(running, 'the running call');
    supervisor.resume();
    const resumed = await within(tools.call('delegate_task', batch('b')), 'the next call');

    expect(refused).toMatchObject({ isError: true, failure: { code: 'paused' } });
    expect(envelopeIn(finished).results).toMatchObject([{ summary: 'slow done' }]);
    expect(envelopeIn(resumed).results).toMatchObject([{ summary: 'b done' }]);
  });
});
