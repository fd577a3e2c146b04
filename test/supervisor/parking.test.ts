// Checks that trees finish with any number of slots: parents that wait give theirs up and continue from their record (V7).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import type { ModelRequest } from '#src/models/model.js';
import type { TaskHandle } from '#src/tasks/task.js';
import { delegate, handsTo, named, tree } from './family.ts';
import { answered, inShort, supervise, toolFixture, turns, within } from './support.ts';

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

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the tree');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'level0 done']);
    const expected = Array.from({ length: depth + 1 }, (_, level) => width ** level);
    const agentsThereWere = expected.reduce((sum, count) => sum + count, 0);
    expect(watch.of('agent_started')).toHaveLength(agentsThereWere);
    expect(watch.of('agent_parked').length).toBe(watch.of('agent_activated').length);
    // Each inner agent asks twice, each leaf once, however often they were parked.
    expect(model.requests()).toHaveLength(2 * agentsThereWere - width ** depth);
    for (const { taskId } of watch.of('task_completed')) {
      expect(pairingFault(supervisor.transcript(taskId ?? ''))).toBeNull();
    }
    expect(maxLive(watch.events)).toBeLessThanOrEqual(slots);
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
    expect(handle.status()).toBe('parked');
    expect(supervisor.tree()).toMatchObject([
      { status: 'parked', phase: 'waiting_for_child', children: [{ status: 'running' }] },
    ]);

    const receipts = await within(handle.interrupt(), 'the receipts');
    const outcome = await handle.result();

    expect(receipts.map(({ stage }) => stage).sort()).toEqual(['interrupted', 'stopped']);
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

  it.each([
    ['a child', 'hand_over', { agent: 'leaf' }, 'deadlock'],
    ['every child', 'gather', { agents: ['leaf', 'leaf', 'leaf'] }, 'failed: ; failed: ; failed: '],
  ])(
    'refuses %s of a thread tool that no slot could ever serve (V7)',
    async (_, name, input, answer) => {
      const { supervisor, model } = supervise(
        { agents: { parent: [{ toolCalls: [{ name, input }] }, { text: 'done' }] } },
        {
          tools: [toolFixture('family')],
          agents: named('parent', 'leaf'),
          limits: { maxLiveAgents: 1 },
        },
      );

      const outcome = await within(
        supervisor.delegate({ goal: 'a', agent: 'parent' }),
        'the outcome',
      );

      expect(outcome.text).toBe('done');
      expect(answered(model)[0]?.[0]).toContain(answer);
    },
  );

  it('refuses the tasks of one parent only, whatever a listener starts meanwhile (V7)', async () => {
    const gather = { name: 'gather', input: { agents: ['leaf', 'leaf'] } };
    const { supervisor, watch } = supervise(
      { agents: { parent: [{ toolCalls: [gather] }, { text: 'done' }], leaf: [{ text: 'leaf' }] } },
      {
        tools: [toolFixture('family')],
        agents: named('parent', 'leaf'),
        limits: { maxLiveAgents: 2 },
      },
    );
    let last: TaskHandle | undefined;
    supervisor.on('task_completed', () => {
      last ??= supervisor.start({ goal: 'c', agent: 'leaf' });
    });

    const parents = ['a', 'b'].map((goal) => supervisor.delegate({ goal, agent: 'parent' }));

    const outcomes = await within(Promise.all(parents), 'the outcomes');
    expect(outcomes.map(({ text }) => text)).toEqual(['done', 'done']);
    await within(last?.result() ?? Promise.reject(new Error('nothing was refused')), 'the last');
    const refused = watch
      .of('task_completed')
      .filter(({ outcome }) => outcome.error?.code === 'deadlock')
      .map(({ taskId }) => watch.of('task_queued').find((it) => it.taskId === taskId)?.parentId);
    expect(refused).toEqual([refused[0], refused[0]]);
  });

  it('refuses the background task that a run waits for, not one that was begun after it (V7)', async () => {
    const { supervisor, watch } = supervise(
      {
        default: [
          {
            toolCalls: [
              { name: 'begin', input: { goal: 'b' } },
              { name: 'begin', input: { goal: 'c' } },
            ],
          },
          { toolCalls: [{ name: 'join', input: { taskId: 't2' } }] },
          { text: 'done' },
        ],
      },
      { tools: [toolFixture('background')], limits: { maxLiveAgents: 1 } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.text).toBe('done');
    const ends = watch.of('task_completed').map((end) => [end.taskId, end.outcome.error?.code]);
    expect(ends).toEqual([
      ['t2', 'deadlock'],
      ['t3', 'interrupted'],
      ['t1', undefined],
    ]);
  });

  it('refuses a background task of a thread tool once its run waits for it and no slot could ever serve it (V7)', async () => {
    const { supervisor, watch } = supervise(
      {
        default: [
          { toolCalls: [{ name: 'begin', input: { goal: 'b' } }] },
          { toolCalls: [{ name: 'join', input: { taskId: 't2' } }] },
          { text: 'done' },
        ],
      },
      { tools: [toolFixture('background')], limits: { maxLiveAgents: 1 } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.text).toBe('done');
    const child = watch.of('task_completed').find(({ taskId }) => taskId === 't2');
    expect(child?.outcome.error?.code).toBe('deadlock');
  });
});

function prompts({ messages }: ModelRequest): number {
  const texts = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'text'));
  return texts.filter((block) => block.type === 'text' && block.text === 'The one prompt.').length;
}

/** The most agents that held a slot at once, by what the events say. */
function maxLive(events: readonly { readonly type: string }[]): number {
  let live = 0;
  let max = 0;
  for (const { type } of events) {
    if (type === 'agent_started' || type === 'agent_activated') live += 1;
    if (type === 'agent_parked' || type === 'agent_stopped') live -= 1;
    max = Math.max(max, live);
  }
  return max;
}
