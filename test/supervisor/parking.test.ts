// Checks that trees finish with any number of slots: parents that wait give theirs up and continue from their record (V7).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { toFailure } from '#src/base/failures.js';
import { defineTool } from '#src/index.js';
import type { ModelRequest } from '#src/models/model.js';
import { delegate, handsTo, named, tree } from './family.ts';
import { answered, gate, inShort, supervise, toolFixture, turns, within } from './support.ts';

describe('parking', () => {
  it.each([
    [1, 3, 1],
    [2, 3, 1],
    [1, 3, 3],
    [2, 3, 3],
  ])('with %i slots a tree of depth %i and width %i finishes (V7)', async (slots, depth, width) => {
    const { script, agents } = tree(depth, width);
    const { supervisor, model, watch } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxLiveAgents: slots, maxSpawnDepth: depth },
    });
    const live: number[] = [];
    supervisor.on('agent_started', () => live.push(supervisor.totals().live));

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the tree');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'level0 done']);
    const expected = Array.from({ length: depth + 1 }, (_, level) => width ** level);
    const agentsThereWere = expected.reduce((sum, count) => sum + count, 0);
    expect(watch.of('agent_started')).toHaveLength(agentsThereWere);
    expect(watch.of('agent_activated').length).toBeGreaterThan(0);
    // Each inner agent asks twice, each leaf once, however often they were parked.
    expect(model.requests()).toHaveLength(2 * agentsThereWere - width ** depth);
    for (const { taskId } of watch.of('task_completed')) {
      expect(pairingFault(supervisor.transcript(taskId ?? ''))).toBeNull();
    }
    expect(Math.max(...live)).toBeLessThanOrEqual(slots);
  });

  it('continues with the history it had: one prompt, every call answered once (V7)', async () => {
    const { supervisor, model, watch } = supervise(
      {
        default: [
          {
            text: 'both',
            toolCalls: [
              { name: 'delegate', input: { agents: ['leaf'] } },
              { name: 'echo', input: { text: 'in the thread' } },
              { name: 'delegate', input: { agents: ['leaf', 'leaf'] } },
            ],
          },
          { text: 'done' },
        ],
        agents: { leaf: [{ text: 'leaf' }] },
      },
      {
        tools: [delegate, toolFixture('plain')],
        agents: named('leaf'),
        limits: { maxLiveAgents: 1 },
      },
    );

    const outcome = await within(supervisor.delegate({ goal: 'The one prompt.' }), 'the outcome');

    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ text: 'done', turns: 2, toolCalls: 3 });
    const asked = model.requests().filter(({ agent }) => agent.id === outcome.agent.id);
    expect(asked.map(prompts)).toEqual([1, 1]);
    expect(answered(model)).toEqual([
      ['leaf', false],
      ['in the thread', false],
      ['leaf, leaf', false],
    ]);
    expect(supervisor.transcript(outcome.taskId).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it.each(['when-needed', 'always'] as const)(
    'gives no place up for a call that is refused at once, threads parked %s (V7)',
    async (parking) => {
      const { opened, open } = gate();
      const asking = defineTool({
        name: 'look',
        description: 'Waits for a task that there never was, then for the test.',
        input: z.object({}),
        async run(_input, tool) {
          const refused = await tool.background.wait('t0', {}).catch(toFailure);
          await opened;
          return 'code' in (refused ?? {}) ? 'refused' : 'heard';
        },
      });
      const { supervisor, watch } = supervise(
        { agents: { first: [{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'done' }] } },
        {
          tools: [asking],
          agents: named('first', 'second'),
          limits: { maxLiveAgents: 1 },
          threads: { parking },
        },
      );
      const first = supervisor.start({ goal: 'a', agent: 'first' });
      const second = supervisor.start({ goal: 'b', agent: 'second' });
      await watch.next('tool_started');
      await turns();
      expect(supervisor.totals()).toMatchObject({ live: 1, queued: 1 });
      open();

      await within(Promise.all([first.result(), second.result()]), 'both');
      const order = watch.events.flatMap(({ type, agentId }) =>
        type === 'agent_started' || type === 'agent_stopped' ? [`${type} ${agentId}`] : [],
      );
      expect(order.map((each) => each.split(' ')[0])).toEqual([
        'agent_started',
        'agent_stopped',
        'agent_started',
        'agent_stopped',
      ]);
    },
  );

  it('serves children before roots, however many wait (V7)', async () => {
    const { supervisor, watch } = supervise(
      { agents: { parent: [handsTo('leaf'), { text: 'done' }], leaf: [{ text: 'leaf' }] } },
      { tools: [delegate], agents: named('parent', 'leaf'), limits: { maxLiveAgents: 1 } },
    );
    const parent = supervisor.start({ goal: 'first', agent: 'parent' });
    const roots = Array.from({ length: 200 }, () => supervisor.start({ goal: 'r', agent: 'leaf' }));

    await within(Promise.all([parent, ...roots].map((each) => each.result())), 'all of them');

    const order = watch.of('task_completed').map(({ taskId }) => taskId);
    const child = watch.of('task_completed').find(({ depth }) => depth === 1);
    expect(order.indexOf(child?.taskId)).toBe(0);
    // Its answer is there a moment after its child's slot is free: one root may have slipped in.
    expect(order.indexOf(parent.id)).toBeLessThan(3);
  });

  it('ends a parked parent with the child it waits for (S4, S5)', async () => {
    const { supervisor, watch } = supervise(
      { agents: { parent: [handsTo('leaf')], leaf: [{ hang: true }] } },
      { tools: [delegate], agents: named('parent', 'leaf'), limits: { maxLiveAgents: 1 } },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await watch.next('turn_started', ({ depth }) => depth === 1);
    expect(handle.status()).toBe('waiting');
    expect(supervisor.tree()).toMatchObject([
      { status: 'waiting', phase: 'waiting_for_child', children: [{ status: 'waiting' }] },
    ]);

    const receipts = await within(handle.interrupt(), 'the receipts');
    const outcome = await handle.result();

    expect(receipts.map(({ stage }) => stage).sort()).toEqual(['interrupted', 'interrupted']);
    expect(outcome).toMatchObject({
      exitReason: 'interrupted',
      text: 'handing over',
      partial: { phase: 'waiting_for_child' },
    });
    expect(pairingFault(supervisor.transcript(handle.id))).toBeNull();
  });

  it('parks an agent whose last call in its own thread has ended (V7)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-parking-'));
    const file = join(folder, 'now');
    const { supervisor, watch } = supervise(
      {
        agents: {
          parent: [
            {
              toolCalls: [
                { name: 'delegate', input: { agents: ['leaf'] } },
                { name: 'until', input: { file } },
              ],
            },
            { text: 'done' },
          ],
          leaf: [{ text: 'leaf' }],
        },
      },
      {
        tools: [delegate, toolFixture('family')],
        agents: named('parent', 'leaf'),
        limits: { maxLiveAgents: 1 },
        threads: { max: 1, parking: 'when-needed' },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'parent' });
    await watch.next('task_queued', ({ depth }) => depth === 1);
    await turns();
    expect(watch.of('agent_parked')).toEqual([]);

    await writeFile(file, '');

    expect((await within(handle.result(), 'the outcome')).text).toBe('done');
    expect(watch.of('agent_parked')).toHaveLength(1);
    await rm(folder, { recursive: true });
  });

  it('opens threads in the place of those that tools hold which wait for children (W7)', async () => {
    const gather = { name: 'gather', input: { agents: ['leaf', 'leaf'] } };
    const { supervisor, model, watch } = supervise(
      { agents: { parent: [{ toolCalls: [gather] }, { text: 'done' }], leaf: [{ text: 'leaf' }] } },
      {
        tools: [toolFixture('family')],
        agents: named('parent', 'leaf'),
        threads: { max: 8 },
      },
    );

    const parents = Array.from({ length: 8 }, () =>
      supervisor.delegate({ goal: 'a', agent: 'parent' }),
    );

    const outcomes = await within(Promise.all(parents), 'the outcomes');
    expect(outcomes.map(({ text }) => text)).toEqual(Array(8).fill('done'));
    expect(answered(model).map(([text]) => text)).toContain('completed: leaf; completed: leaf');
    expect(watch.of('task_completed').every(({ outcome }) => outcome.status === 'completed')).toBe(
      true,
    );
  });

  it('refuses the newest request, deadlock, when 64 further threads are held so as well (W7)', async () => {
    const depth = 65;
    const deeper = { name: 'hand_over', input: { agent: 'level' } };
    const { supervisor, watch } = supervise(
      { agents: { level: [{ toolCalls: [deeper] }, { text: 'done' }] } },
      {
        tools: [toolFixture('family')],
        agents: named('level'),
        limits: { maxSpawnDepth: 200 },
        threads: { max: 1, parking: 'when-needed' },
      },
    );

    const outcome = await supervisor.delegate({ goal: 'a', agent: 'level' });

    expect(outcome.text).toBe('done');
    const ends = watch.of('task_completed').map(({ outcome }) => outcome.error?.code);
    expect(ends).toEqual(['deadlock', ...Array(depth).fill(undefined)]);
  }, 60_000);
});

function prompts({ messages }: ModelRequest): number {
  const texts = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'text'));
  return texts.filter((block) => block.type === 'text' && block.text === 'The one prompt.').length;
}
