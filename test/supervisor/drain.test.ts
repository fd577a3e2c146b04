// Checks the end of all tasks where some have not begun: they are waited for, or handed back.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { gate, rejection, supervise, turns, within } from './support.ts';

const done = { default: [{ text: 'done' }] };

describe('drain', () => {
  it('hands back what a paused supervisor has not begun, oldest first, and ends', async () => {
    const { supervisor, model, watch } = supervise(done);
    supervisor.pause();
    const handles = ['a', 'b'].map((goal) => supervisor.start({ goal }));
    const mapped = (async () => {
      const ends: string[] = [];
      for await (const { status } of supervisor.map([{ goal: 'c' }])) ends.push(status);
      return ends;
    })();
    await turns();

    const returned = await within(supervisor.drain({ queued: 'return' }), 'the drain');

    expect(returned.map(({ goal }) => goal)).toEqual(['a', 'b', 'c']);
    for (const handle of handles) {
      expect(await within(handle.result(), 'the outcome')).toMatchObject({
        status: 'interrupted',
        turns: 0,
        error: { code: 'interrupted', retryable: true },
      });
    }
    expect(await within(mapped, 'the map')).toEqual(['interrupted']);
    expect([model.requests(), watch.of('task_started')]).toEqual([[], []]);
    supervisor.resume();
    const again = await within(supervisor.delegate(returned), 'the outcomes');
    expect(again.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });

  it('hands back no task that a listener has ended meanwhile', async () => {
    const { supervisor } = supervise(done);
    supervisor.pause();
    const [first, second] = ['a', 'b'].map((goal) => supervisor.start({ goal }));
    supervisor.on('task_completed', ({ taskId }) => {
      if (taskId === first?.id) void second?.interrupt({ reason: 'not needed' });
    });

    const returned = await within(supervisor.drain({ queued: 'return' }), 'the drain');

    expect(returned.map(({ goal }) => goal)).toEqual(['a']);
    const ended = await within(Promise.resolve(second?.result()), 'the outcome');
    expect(ended).toMatchObject({ status: 'interrupted', error: { message: 'not needed' } });
  });

  it('waits for what runs, and for the children it has waiting for a place', async () => {
    const { opened, open } = gate();
    const waitTool = defineTool({
      name: 'holds',
      description: 'Holds.',
      input: z.object({}),
      run: (_, tool) =>
        opened.then(() => tool.delegate([{ goal: 'c', agent: 'child' }])).then(() => 'ok'),
    });
    const calls = { toolCalls: [{ name: 'holds', input: {} }] };
    const { supervisor, watch } = supervise(
      { default: [calls, { text: 'done' }], agents: { child: [{ text: 'born' }] } },
      { tools: [waitTool], agents: [{ name: 'child' }], limits: { maxLiveAgents: 1 } },
    );
    const running = supervisor.start({ goal: 'a' });
    const waiting = supervisor.start({ goal: 'b' });
    await watch.next('tool_started');

    const draining = supervisor.drain({ queued: 'return' });
    expect((await within(waiting.result(), 'the one that waited')).status).toBe('interrupted');
    open();
    const returned = await within(draining, 'the drain');

    expect(returned.map(({ goal }) => goal)).toEqual(['b']);
    expect((await within(running.result(), 'the outcome')).status).toBe('completed');
    expect(
      watch
        .of('task_completed')
        .map(({ outcome }) => outcome.status)
        .sort(),
    ).toEqual(['completed', 'completed', 'interrupted']);
  });

  it('waits for all by default, resolves with none, and refuses another word', async () => {
    const { supervisor } = supervise(done);
    supervisor.pause();
    const handle = supervisor.start({ goal: 'a' });
    const draining = supervisor.drain();
    const refused = await rejection(supervisor.drain({ queued: 'drop' as never }));
    supervisor.resume();

    expect(await within(draining, 'the drain')).toEqual([]);
    expect(handle.status()).toBe('completed');
    expect(refused).toMatchObject({ code: 'invalid_options' });
    expect(String(refused)).toContain('queued');
  });
});
