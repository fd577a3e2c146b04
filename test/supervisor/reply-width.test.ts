// Checks that `maxConcurrentChildren` holds for a model's reply: calls of one reply have no more children than one call may (V7).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool } from '#src/index.js';
import { directing, type Parts, resultsIn } from '../support/directed.ts';
import { within } from './support.ts';

const five = [1, 2, 3, 4, 5].map((at) => `part ${at}`);
const limits = { maxConcurrentChildren: 3 };

const dialects = [
  ['delegate_task', delegateTaskTool(), (goal: string) => ({ goal })],
  ['task', taskTool(), (prompt: string) => ({ prompt })],
  ['Agent', agentTools()[0], (prompt: string) => ({ description: prompt, prompt })],
] as const;

const started = (model: { requests(goal: string): readonly unknown[] }) =>
  five.filter((goal) => model.requests(goal).length > 0);

describe.each(dialects)('five calls of %s in one reply', (_name, tool, inputOf) => {
  if (tool === undefined) throw new Error('there is no such tool');
  const calls = five.map((goal) => [tool.name, inputOf(goal)] as const);

  it.each([
    ['at once', true],
    ['one after the other', false],
  ])('run as many children as one call may, made %s (V7)', async (_how, parallelToolCalls) => {
    const parts: Parts = { plan: [{ calls }, { calls: calls.slice(3, 4) }, { text: 'done' }] };
    const { supervisor, model } = directing(parts, { tools: [tool], limits });

    const task = { goal: 'plan', loop: { parallelToolCalls } };
    await within(supervisor.delegate(task), 'the outcome');

    const [, second, third] = model.requests('plan');
    const results = resultsIn(second);
    expect(results.map(([, isError]) => isError)).toEqual([false, false, false, true, true]);
    expect(results[3]?.[0]).toMatch(/4 tasks in one reply, the limit is 3/);
    expect(
      resultsIn(third).map(([, isError]) => isError),
      'the next reply',
    ).toEqual([false]);
    expect(started(model).filter((goal) => goal !== 'part 4')).toEqual(five.slice(0, 3));
  });
});

describe('the tasks of one reply', () => {
  it('are as few in the background (V7)', async () => {
    const calls = five.map((goal) => {
      return ['Agent', { description: goal, prompt: goal, run_in_background: true }] as const;
    });
    const parts: Parts = { plan: [{ calls }, { text: 'done' }] };
    const { supervisor, model } = directing(parts, { tools: agentTools(), limits });

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const results = resultsIn(model.requests('plan')[1]);
    expect(results.map(([, isError]) => isError)).toEqual([false, false, false, true, true]);
  });

  it('count over calls of several tasks, of which one is let in whole or not at all (V7)', async () => {
    const batch = (...goals: readonly string[]) =>
      ['delegate_task', { tasks: goals.map((goal) => ({ goal })) }] as const;
    const [a = '', b = '', c = '', d = ''] = five;
    const parts: Parts = {
      plan: [{ calls: [batch(a, b), batch(c, d), batch(c)] }, { text: 'done' }],
    };
    const { supervisor, model } = directing(parts, { tools: [delegateTaskTool()], limits });

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const results = resultsIn(model.requests('plan')[1]);
    expect(results.map(([, isError]) => isError)).toEqual([false, true, false]);
    expect(started(model)).toEqual([a, b, c]);
  });

  it('are bounded by the tool’s own limit where that is narrower (C10, V7)', async () => {
    const calls = five.map((goal) => ['delegate_task', { goal }] as const);
    const { supervisor, model } = directing(
      { plan: [{ calls }, { text: 'done' }] },
      {
        tools: [delegateTaskTool({ maxConcurrentChildren: 2 })],
        limits: { maxConcurrentChildren: 5 },
      },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(started(model)).toEqual(five.slice(0, 2));
  });

  it('count once that one call hands over one after the other (V7)', async () => {
    const relay = defineTool({
      name: 'relay',
      description: 'Hands five tasks over in turn.',
      input: z.object({}),
      async run(_input, tool) {
        const ends: unknown[] = [];
        for (const goal of five) ends.push((await tool.delegate([{ goal }]))[0]?.status);
        return ends.join(' ');
      },
    });
    const { supervisor, model } = directing(
      { plan: [{ calls: [['relay', {}]] }, { text: 'done' }] },
      { tools: [relay], limits: { maxConcurrentChildren: 1 } },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(resultsIn(model.requests('plan')[1])).toEqual([
      [five.map(() => 'completed').join(' '), false],
    ]);
  });
});
