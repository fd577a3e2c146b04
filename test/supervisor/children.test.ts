// Checks delegation below agents: limits, what is summed into the parent, interrupts of whole trees (V5, V7, S4, S8).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { delegate, handsTo, named, tree } from './family.ts';
import { answered, gate, inShort, rejection, supervise, toolFixture, within } from './support.ts';

describe('children', () => {
  it('are awaited, and what they used and touched is part of their parent (V7, X13)', async () => {
    const { supervisor, watch, model } = supervise(
      {
        default: [
          { ...handsTo('child', 'child'), usage: { inputTokens: 100 } },
          { text: 'done', usage: { inputTokens: 10 } },
        ],
        agents: {
          child: [
            { toolCalls: [{ name: 'touch', input: { path: 'c.txt' } }], usage: { inputTokens: 1 } },
            { text: 'child done', usage: { inputTokens: 1 } },
          ],
        },
      },
      { tools: [delegate, toolFixture('plain')], agents: named('child') },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', name: 'top' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(
      answered({
        ...model,
        requests: () => model.requests().filter(({ agent }) => agent.name === 'agent'),
      }),
    ).toEqual([['child done, child done', false]]);
    expect(outcome.usage.own).toMatchObject({ inputTokens: 110, modelCalls: 2 });
    expect(outcome.usage.subtree).toMatchObject({ inputTokens: 114, modelCalls: 6 });
    expect(outcome.filesTouched).toEqual(['c.txt']);
    const children = watch.of('task_completed').slice(0, 2);
    const byIndex = children.sort((a, b) => a.outcome.index - b.outcome.index);
    for (const [index, { outcome: child }] of byIndex.entries()) {
      expect(child).toMatchObject({
        index,
        agent: { depth: 1, parentId: outcome.agent.id, path: `/top/${child.agent.id}` },
      });
    }
    expect(supervisor.totals().usage).toEqual(outcome.usage.subtree);
  });

  it.each([
    [1, 'level1 done'],
    [0, 'max_spawn_depth'],
  ])('with maxSpawnDepth %i end %s (V7)', async (maxSpawnDepth, expected) => {
    const { script, agents } = tree(1, 1);
    const { supervisor, model } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxSpawnDepth },
    });

    await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the outcome');

    expect(answered(model)).toEqual([[expected, false]]);
  });

  it.each([
    [3, 'level1 done, level1 done, level1 done', 4],
    [2, 'max_concurrent_children, max_concurrent_children, max_concurrent_children', 1],
  ])(
    'with maxConcurrentChildren %i are all let in or none (V7)',
    async (limit, expected, started) => {
      const { script, agents } = tree(1, 3);
      const { supervisor, model, watch } = supervise(script, {
        tools: [delegate],
        agents,
        limits: { maxConcurrentChildren: limit },
      });

      await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the outcome');

      expect(answered(model)).toEqual([[expected, false]]);
      expect(watch.of('agent_started')).toHaveLength(started);
    },
  );

  it.each([1, 16])('never exceed maxTotalAgents, with %i slots (V7)', async (maxLiveAgents) => {
    const { script, agents } = tree(1, 3);
    const { supervisor, model, watch } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxTotalAgents: 3, maxLiveAgents },
    });

    await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the outcome');

    expect(answered(model)).toEqual([['level1 done, level1 done, max_total_agents', false]]);
    expect(watch.of('agent_started')).toHaveLength(3);
  });

  it('of one call are refused together when one of them is wrong', async () => {
    const { supervisor, model, watch } = supervise(
      {
        default: [handsTo('child', 'nobody'), { text: 'done' }],
        agents: { child: [{ text: 'c' }] },
      },
      { tools: [delegate], agents: named('child') },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([
      [expect.stringContaining('there is no agent "nobody"'), true],
    ]);
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('are refused while the supervisor is paused, and tasks of the program wait', async () => {
    const pausing = defineTool({
      name: 'pause',
      description: 'Pauses the supervisor.',
      input: z.object({}),
      run: () => supervisor.pause(),
    });
    const { supervisor, model } = supervise(
      {
        default: [
          { toolCalls: [{ name: 'pause', input: {} }] },
          handsTo('child'),
          { text: 'done' },
        ],
        agents: { child: [{ text: 'c' }] },
      },
      { tools: [delegate, pausing], agents: named('child') },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    const waiting = supervisor.start({ goal: 'b', agent: 'child' });

    expect(outcome.text).toBe('done');
    expect(answered(model)).toEqual([['paused', false]]);
    expect(waiting.status()).toBe('queued');
    supervisor.resume();
    expect((await within(waiting.result(), 'the waiting one')).status).toBe('completed');
  });

  it('are interrupted with their parent, with a receipt each (S4)', async () => {
    const { supervisor, watch } = supervise(
      {
        agents: {
          root: [handsTo('middle', 'leaf')],
          middle: [handsTo('leaf')],
          leaf: [{ chunks: ['so far'], hang: true }],
        },
      },
      { tools: [delegate], agents: named('root', 'middle', 'leaf'), limits: { maxSpawnDepth: 2 } },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'root', name: 'root' });
    await watch.next('model_delta', ({ depth }) => depth === 1);
    await watch.next('model_delta', ({ depth }) => depth === 2);

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts.map(({ path }) => path.split('/').length).sort()).toEqual([2, 3, 3, 4]);
    expect(receipts.map(({ stage }) => stage)).toEqual(Array(4).fill('interrupted'));
    const leaves = receipts.filter(
      ({ partial }) => (partial as { text: string }).text === 'so far',
    );
    expect(leaves).toHaveLength(2);
    expect(watch.of('task_completed').map(({ outcome }) => outcome.status)).toEqual(
      Array(4).fill('interrupted'),
    );
    // Leaf-first: nobody ends before what is below it.
    const ended = watch.of('agent_stopped').map(({ depth }) => depth);
    expect(ended.at(-1)).toBe(0);
    expect(ended.indexOf(2)).toBeLessThan(ended.lastIndexOf(1));
  });

  it('that wait for a slot end with their parent and call no model (S8)', async () => {
    const { supervisor, watch, model } = supervise(
      { agents: { root: [handsTo('leaf', 'leaf')], leaf: [{ hang: true }] } },
      { tools: [delegate], agents: named('root', 'leaf'), limits: { maxLiveAgents: 1 } },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'root' });
    await watch.next('turn_started', ({ depth }) => depth === 1);

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts.map(({ stage }) => stage).sort()).toEqual([
      'interrupted',
      'interrupted',
      'not_started',
    ]);
    expect(model.requests()).toHaveLength(2);
    expect(supervisor.tree()).toEqual([]);
  });

  it('cannot be had by a tool that goes on when its run is over (S8, O2)', async () => {
    const begun = gate();
    const goOn = gate();
    const tried = gate<unknown>();
    const deaf = defineTool({
      name: 'deaf',
      description: 'Hears nothing, and delegates when nobody waits for it any more.',
      input: z.object({}),
      async run(_input, tool) {
        begun.open();
        await goOn.opened;
        const child = { goal: 'b', agent: 'child' };
        const refusals = await Promise.all([
          rejection(tool.delegate([child])),
          rejection(tool.background.start(child)),
        ]);
        tried.open(refusals);
      },
    });
    const { supervisor, watch } = supervise(
      {
        default: [{ toolCalls: [{ name: 'deaf', input: {} }] }],
        agents: { child: [{ text: 'x' }] },
      },
      { tools: [deaf], agents: named('child') },
    );
    const handle = supervisor.start({ goal: 'a' });
    await within(begun.opened, 'the call');
    await within(handle.interrupt(), 'the interrupt');
    await within(handle.result(), 'the outcome');

    goOn.open();

    const refused = { code: 'activation_ended' };
    expect(await within(tried.opened, 'both tries')).toMatchObject([refused, refused]);
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('end with the call that delegated them, and their parent goes on (V5)', async () => {
    const impatient = defineTool({
      name: 'impatient',
      description: 'Delegates and does not wait.',
      input: z.object({}),
      async run(_input, tool) {
        void tool.delegate([{ goal: 'b', agent: 'leaf' }]);
        await supervisor.events({ types: ['turn_started'] }).next();
        return 'gone on';
      },
    });
    const { supervisor, watch } = supervise(
      {
        default: [{ toolCalls: [{ name: 'impatient', input: {} }] }, { text: 'done' }],
        agents: { leaf: [{ hang: true }] },
      },
      { tools: [impatient], agents: named('leaf') },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    await watch.next('task_completed', (event) => event.depth === 1);

    expect(outcome.text).toBe('done');
    expect(
      watch
        .of('task_completed')
        .map(({ outcome: { status } }) => status)
        .sort(),
    ).toEqual(['completed', 'interrupted']);
  });

  it('named alike by two calls at once are refused by name, and only the second', async () => {
    const { supervisor } = supervise({ default: [{ hang: true }] });
    const first = supervisor.start({ goal: 'a', name: 'same' });

    const second = await within(supervisor.delegate({ goal: 'b', name: 'same' }), 'the outcome');
    await within(first.interrupt(), 'the receipts');
    const third = supervisor.start({ goal: 'c', name: 'same' });
    await within(third.interrupt(), 'the receipts');

    expect(inShort(second)).toEqual(['rejected', 'name_taken', '']);
    expect((await third.result()).exitReason).toBe('interrupted');
    expect(await rejection(supervisor.interrupt('/nobody'))).toMatchObject({
      code: 'unknown_task',
    });
  });
});
