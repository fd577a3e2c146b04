// Checks `delegate` on real threads: outcomes of one and many tasks, what each agent is asked, what a task can set.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '#src/index.js';
import { inShort, supervise, toolFixture, within } from './support.ts';

describe('delegate', () => {
  it('resolves with the outcome of one task', async () => {
    const { supervisor, watch } = supervise({
      default: [{ text: 'done', usage: { inputTokens: 7, outputTokens: 3 } }],
    });

    const outcome = await within(
      supervisor.delegate({ goal: 'Do it.', name: 'first', metadata: { row: 1 } }),
      'the outcome',
    );

    const usage = {
      inputTokens: 7,
      outputTokens: 3,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      modelCalls: 1,
      costUsd: outcome.usage.own.costUsd,
    };
    expect(outcome).toEqual({
      status: 'completed',
      exitReason: 'goal',
      text: 'done',
      lastText: 'done',
      usage: { own: usage, subtree: usage },
      turns: 1,
      toolCalls: 0,
      filesTouched: [],
      durationMs: outcome.durationMs,
      model: 'scripted',
      metadata: { row: 1 },
      agent: { id: outcome.agent.id, name: 'agent', path: '/first', depth: 0, parentId: null },
      taskId: outcome.taskId,
      index: 0,
    });
    expect(watch.of('task_queued')).toMatchObject([{ goal: 'Do it.', taskId: outcome.taskId }]);
  });

  it('settles many in input order, whichever is done first', async () => {
    const { supervisor } = supervise(
      {
        agents: {
          slow: [{ toolCalls: [{ name: 'echo', input: { text: 'x' } }] }, { text: 'slow' }],
          fast: [{ text: 'fast' }],
        },
      },
      { agents: [{ name: 'slow' }, { name: 'fast' }], tools: [toolFixture('plain')] },
    );
    const tasks = ['slow', 'fast', 'slow', 'fast'].map((agent) => ({ goal: agent, agent }));

    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

    expect(outcomes.map(({ text, index }) => [text, index])).toEqual([
      ['slow', 0],
      ['fast', 1],
      ['slow', 2],
      ['fast', 3],
    ]);
  });

  it('resolves with nothing for no task', async () => {
    const { supervisor } = supervise({ default: [] });

    expect(await supervisor.delegate([])).toEqual([]);
  });

  it('lets a task that fails touch none of its siblings (X10)', async () => {
    const { supervisor } = supervise(
      {
        agents: {
          good: [{ text: 'good' }],
          broken: [{ throw: { status: 500, message: 'down' } }],
          crashing: [{ text: 'so far', toolCalls: [{ name: 'exit', input: {} }] }],
        },
      },
      {
        agents: [{ name: 'good' }, { name: 'broken' }, { name: 'crashing' }],
        tools: [toolFixture('stubborn')],
      },
    );
    const tasks = ['good', 'broken', 'crashing', 'good'].map((agent) => ({ goal: 'Go.', agent }));

    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

    expect(outcomes.map(inShort)).toEqual([
      ['goal', undefined, 'good'],
      ['error', 'model_failed', ''],
      ['crashed', 'thread_exited', 'so far'],
      ['goal', undefined, 'good'],
    ]);
  });

  it('with a signal interrupts its runs and nothing else (S5)', async () => {
    const { supervisor, watch } = supervise({ default: [{ text: 'so far', hang: true }] });
    const controller = new AbortController();
    const other = supervisor.start({ goal: 'Go on.' });
    const both = supervisor.delegate([{ goal: 'a' }, { goal: 'b' }], {
      signal: controller.signal,
    });
    const ids = await Promise.all(
      ['a', 'b', 'Go on.'].map(async (goal) => {
        const { taskId } = await watch.next('task_queued', (event) => event.goal === goal);
        await watch.next('turn_started', (event) => event.taskId === taskId);
        return taskId;
      }),
    );

    controller.abort();
    const outcomes = await within(both, 'the outcomes');

    expect(outcomes.map(({ status, taskId }) => [status, taskId])).toEqual([
      ['interrupted', ids[0]],
      ['interrupted', ids[1]],
    ]);
    expect(other.status()).toBe('waiting');
  });

  it('with a signal that is aborted already starts no agent, not even on a warm thread (S8)', async () => {
    const { supervisor, model, watch } = supervise({ default: [{ text: 'done' }] });
    await within(supervisor.delegate({ goal: 'Warm up.' }), 'the outcome');

    const outcome = await within(
      supervisor.delegate({ goal: 'Go.' }, { signal: AbortSignal.abort() }),
      'the outcome',
    );

    expect(outcome).toMatchObject({
      status: 'interrupted',
      agent: { id: '' },
      error: { code: 'interrupted' },
      partial: { phase: 'queued' },
    });
    expect(watch.of('interrupt_requested')).toEqual([]);
    expect(model.requests()).toHaveLength(1);
  });
});

describe('a task', () => {
  it('tells its agent its goal and its context, and nothing of others', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] });

    await within(supervisor.delegate({ goal: 'Sum up.', context: 'Of 1 and 2.' }), 'the outcome');

    expect(model.requests()[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Sum up.\n\n# Context\n\nOf 1 and 2.' }] },
    ]);
  });

  it.each(['prompt', 'systemPrompt', 'instructions'])(
    'runs the agent it names or brings, with its %s (X4)',
    async (alias) => {
      const defined = { name: 'analyst', [alias]: 'You analyse.' };
      const { supervisor, model } = supervise(
        { default: [], agents: { analyst: [{ text: 'analysed' }], other: [{ text: 'other' }] } },
        { agents: [defined] },
      );

      const outcomes = await within(
        supervisor.delegate([
          { goal: 'Go.', agent: 'analyst' },
          { goal: 'Go.', agent: { name: 'other', [alias]: 'You are another.' } },
        ]),
        'the outcomes',
      );

      expect(outcomes.map(({ text, agent }) => [text, agent.name])).toEqual([
        ['analysed', 'analyst'],
        ['other', 'other'],
      ]);
      const prompts = model.requests().map(({ agent, system }) => [agent.name, system]);
      expect(Object.fromEntries(prompts)).toEqual({
        analyst: 'You analyse.',
        other: 'You are another.',
      });
    },
  );

  it('wins over its agent’s definition, and denies win over both (X7)', async () => {
    const tool = (name: string) =>
      defineTool({ name, description: name, input: z.object({}), run: () => name });
    const { supervisor, model } = supervise(
      { default: [{ text: 'done' }] },
      {
        tools: [tool('a'), tool('b'), tool('c')],
        agents: [defineAgent({ name: 'one', tools: ['a'], disallowedTools: ['c'], maxTurns: 9 })],
      },
    );

    await within(
      supervisor.delegate([
        { goal: 'all' },
        { goal: 'its own', agent: 'one' },
        { goal: 'set', agent: 'one', tools: ['b', 'c'] },
        { goal: 'denied', disallowedTools: ['a', 'b'] },
        { goal: 'none', tools: [] },
      ]),
      'the outcomes',
    );

    const offered = new Map(
      model
        .requests()
        .map(({ messages, tools }) => [
          messages[0]?.content[0]?.type === 'text' ? messages[0].content[0].text : '',
          tools.map(({ name }) => name),
        ]),
    );
    expect(Object.fromEntries(offered)).toEqual({
      all: ['a', 'b', 'c'],
      'its own': ['a'],
      set: ['b'],
      denied: ['c'],
      none: [],
    });
  });

  it('ends with max_turns when its turns are used up, and keeps what it had (X9)', async () => {
    const { supervisor, model } = supervise(
      {
        default: [
          { text: 'looking', toolCalls: [{ name: 'echo', input: { text: 'x' } }], repeat: true },
        ],
      },
      { tools: [toolFixture('plain')], budget: { maxTurns: 9 } },
    );

    const outcomes = await within(
      supervisor.delegate([{ goal: 'a', maxTurns: 2 }, { goal: 'b' }]),
      'the outcomes',
    );

    expect(outcomes.map(({ exitReason, status, turns }) => [exitReason, status, turns])).toEqual([
      ['max_turns', 'failed', 2],
      ['max_turns', 'failed', 9],
    ]);
    expect(outcomes[0]).toMatchObject({ text: 'looking', toolCalls: 2, partial: { turns: 2 } });
    expect(model.requests()).toHaveLength(11);
  });
});
