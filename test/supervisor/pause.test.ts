// Checks the pause of one task: it ends its turn and asks nothing more, its clocks stand still, an interrupt reaches it (C46).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { delegate, handsTo, named } from './family.ts';
import { gate, inShort, supervise, superviseInManualTime, turns, within } from './support.ts';

/** A run that waits in a tool, then says `done`. */
function waiting() {
  const wait = gate();
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    run: () => wait.opened,
  });
  const steps = [{ text: 'calling', toolCalls: [{ name: 'wait', input: {} }] }, { text: 'done' }];
  return { tool, steps, open: () => wait.open() };
}

describe('a paused run', () => {
  it('ends its turn, asks nothing more, and loses no time, nor does who waits above it (C46, V8)', async () => {
    const { tool, steps, open } = waiting();
    const { supervisor, model, watch, clock } = superviseInManualTime(
      { agents: { boss: [handsTo('leaf'), { text: 'boss done' }], leaf: steps } },
      {
        tools: [delegate, tool],
        agents: named('boss', 'leaf'),
        timeouts: { idleTimeoutMs: 1_000, totalTimeoutMs: 2_000, toolTimeoutMs: 1_500 },
      },
    );
    const boss = supervisor.start({ goal: 'a', agent: 'boss' });
    const beside = supervisor.start({ goal: 'b', agent: 'leaf', name: 'beside' });
    await watch.next('tool_started', ({ path }) => path === '/beside');

    beside.pause();
    beside.pause();
    open();
    await within(boss.result(), 'the one beside it');
    await untilPaused(supervisor);
    await clock.advance(1_000_000);

    const own = model.requests().filter(({ agent }) => agent.path === '/beside');
    expect(own).toHaveLength(1);
    beside.resume();
    beside.resume();
    expect(inShort(await within(beside.result(), 'the outcome'))).toEqual([
      'goal',
      undefined,
      'done',
    ]);
    expect([...watch.of('timeout_fired'), ...watch.of('idle_warning')]).toEqual([]);
    const tasksOf = (type: 'task_paused' | 'task_resumed') =>
      watch.of(type).map(({ taskId }) => taskId);
    expect([tasksOf('task_paused'), tasksOf('task_resumed')]).toEqual([[beside.id], [beside.id]]);
  });

  it('is interrupted at once, with its work kept (S5)', async () => {
    const { tool, steps, open } = waiting();
    const { supervisor, watch } = supervise({ default: steps }, { tools: [tool] });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    handle.pause();
    open();
    await untilPaused(supervisor);

    const receipts = await within(handle.interrupt(), 'the receipts');
    const outcome = await handle.result();

    expect(receipts.map(({ stage }) => stage)).toEqual(['interrupted']);
    expect(outcome).toMatchObject({ exitReason: 'interrupted', turns: 1, text: 'calling' });
    expect(outcome.partial?.toolTrace).toMatchObject([{ name: 'wait', status: 'completed' }]);
    handle.resume();
    expect(watch.of('task_resumed')).toEqual([]);
  });

  it('takes what was said to it meanwhile when it is resumed (M2)', async () => {
    const { tool, steps, open } = waiting();
    const { supervisor, model, watch } = supervise({ default: steps }, { tools: [tool] });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    handle.pause();
    open();
    await untilPaused(supervisor);

    const receipt = await within(handle.steer('think of the rest'), 'the receipt');
    handle.resume();
    await within(handle.result(), 'the outcome');

    expect(receipt.status).toBe('queued');
    expect(model.requests()[1]?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'think of the rest' },
    ]);
  });

  it('that was parked meanwhile holds in its next activation (V7)', async () => {
    const { tool, steps, open } = waiting();
    const { supervisor, model, watch } = supervise(
      { agents: { boss: [handsTo('leaf'), { text: 'boss done' }], leaf: steps } },
      { tools: [delegate, tool], agents: named('boss', 'leaf'), limits: { maxLiveAgents: 1 } },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    await watch.next('tool_started', ({ depth }) => depth === 1);
    handle.pause();
    open();
    await watch.next('agent_activated');
    await untilPaused(supervisor);

    expect(model.requests().filter(({ agent }) => agent.name === 'boss')).toHaveLength(1);
    handle.resume();

    expect((await within(handle.result(), 'the outcome')).text).toBe('boss done');
  });

  it('that is paused and resumed while it is parked goes on (V7)', async () => {
    const { tool, steps, open } = waiting();
    const { supervisor, watch } = supervise(
      { agents: { boss: [handsTo('leaf'), { text: 'boss done' }], leaf: steps } },
      { tools: [delegate, tool], agents: named('boss', 'leaf'), limits: { maxLiveAgents: 1 } },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    await watch.next('tool_started', ({ depth }) => depth === 1);
    handle.pause();
    handle.resume();
    open();

    expect((await within(handle.result(), 'the outcome')).text).toBe('boss done');
  });
});

/** Until a run says that it holds; the wait has the deadline of all waits. */
async function untilPaused(supervisor: ReturnType<typeof supervise>['supervisor']): Promise<void> {
  let isOver = false;
  const afterPause = async (): Promise<void> => {
    while (!isOver && !supervisor.tree().some(({ phase }) => phase === 'paused')) await turns(1);
  };
  try {
    await within(afterPause(), 'a run that holds');
  } finally {
    isOver = true;
  }
}
