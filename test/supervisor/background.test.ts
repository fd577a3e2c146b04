// Checks background tasks of agents: notified once when no call waits, joined from parked agents, ended with their run (X5, V7).
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { directing, resultsIn } from '../support/directed.ts';
import { gate, inShort, toolFixture, within } from './support.ts';

const start = (prompt: string) =>
  ['Agent', { description: 'a part', prompt, run_in_background: true }] as const;
const texts = (messages: readonly { role: string; content: readonly object[] }[]) =>
  messages.flatMap(({ role, content }) =>
    role === 'user'
      ? content.flatMap((block) => ('text' in block ? [String(block.text)] : []))
      : [],
  );

describe('a background task of an agent', () => {
  it('is told to its run once, as a message with its end, and the run goes on for it', async () => {
    const { opened, open } = gate();
    const { supervisor, model, watch } = directing(
      {
        plan: [
          { calls: [start('part')] },
          { after: opened, text: 'nothing to wait for' },
          { text: 'all done' },
        ],
      },
      { tools: agentTools() },
    );
    supervisor.on('task_completed', ({ depth }) => depth === 1 && open());

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    const notices = texts(model.requests('plan')[2]?.messages ?? []).slice(1);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      /^\[Background task t2 ended: completed\]\nGoal: part\n\npart done$/,
    );
    expect(watch.of('steering_updated').map(({ status }) => status)).toEqual(['delivered']);
  });

  it('is joined by a parent that gave its only slot up for it, from the host (V7)', async () => {
    const { supervisor, model, watch } = directing(
      {
        plan: [
          { calls: [start('part')] },
          { calls: [['TaskOutput', { task_id: 't2', timeout: 600_000 }]] },
          { text: 'all done' },
        ],
      },
      { tools: agentTools(), limits: { maxLiveAgents: 1 } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    expect(resultsIn(model.requests('plan')[2])).toEqual([['part done', false]]);
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
    // Whoever waited for the end is not told of it again.
    expect(watch.of('steering_updated')).toEqual([]);
  });

  it('is started, listed and joined from a thread tool alike', async () => {
    const { supervisor, model } = directing(
      {
        plan: [
          { calls: [['begin', { goal: 'part' }]] },
          { calls: [['join', { taskId: 't2', timeoutMs: 600_000 }]] },
          { calls: [['join', { taskId: 't2' }]] },
          { text: 'all done' },
        ],
      },
      { tools: [toolFixture('background')] },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(resultsIn(model.requests('plan')[1])).toEqual([['t2', false]]);
    expect(resultsIn(model.requests('plan')[2])).toEqual([
      ['{"text":"part done","left":[]}', false],
    ]);
    expect(resultsIn(model.requests('plan')[3])).toEqual([
      [expect.stringMatching(/no background task "t2"; there is: none/), true],
    ]);
  });

  it('ends with its parent’s run, interrupted or done (X5, S5)', async () => {
    const { supervisor, watch } = directing(
      { plan: [{ calls: [start('stuck')] }, { text: 'I am done' }], stuck: [{ hang: true }] },
      { tools: agentTools() },
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'I am done']);
    const child = await watch.next('task_completed', ({ depth }) => depth === 1);
    expect(child.outcome.status).toBe('interrupted');
    await within(supervisor.drain(), 'the last task');
  });

  it('is stopped by its id, and unknown afterwards', async () => {
    const { supervisor, model } = directing(
      {
        plan: [
          { calls: [start('stuck')] },
          { calls: [['TaskStop', { task_id: 't2' }]] },
          { calls: [['TaskStop', { task_id: 't2' }]] },
          { text: 'done' },
        ],
        stuck: [{ hang: true }],
      },
      { tools: agentTools() },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(resultsIn(model.requests('plan')[2])).toEqual([
      ['Task t2 has ended: interrupted.', false],
    ]);
    expect(resultsIn(model.requests('plan')[3])[0]?.[1]).toBe(true);
  });

  it('counts against the width of its owner, so that one turn cannot start a crowd (V7)', async () => {
    const { supervisor, model } = directing(
      {
        plan: [{ calls: ['a', 'b', 'c'].map(start) }, { text: 'done' }],
        a: [{ hang: true }],
        b: [{ hang: true }],
        c: [{ hang: true }],
      },
      { tools: agentTools(), limits: { maxConcurrentChildren: 2 } },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const results = resultsIn(model.requests('plan')[1]);
    expect(results.map(([, isError]) => isError)).toEqual([false, false, true]);
    expect(results[2]?.[0]).toMatch(/3 tasks in one call, the limit is 2/);
  });
});
