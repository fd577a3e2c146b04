// Checks what users say of background work: its end is lost, the parent polls for it, or does it again.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { gate, inShort, turns, within } from '../supervisor/support.ts';
import { directing, resultsIn } from '../support/directed.ts';
import { cameTimes, inBackground, noticesIn } from './support.ts';

describe('F8', () => {
  it('ends that no listener received are listed, each until it is acknowledged (F8)', async () => {
    const { supervisor, watch } = directing({ b: [{ fail: 'down' }] });
    const session = supervisor.session('chat');
    const handles = ['a', 'b', 'c'].map((goal) => session.start({ goal }));
    await within(Promise.all(handles.map((handle) => handle.result())), 'the outcomes');
    await turns();

    const completions = session.completions();

    expect(
      completions.map(({ goal, outcome }) => [goal, outcome.status, outcome.error?.code]).sort(),
    ).toEqual([
      ['a', 'completed', undefined],
      ['b', 'failed', 'model_failed'],
      ['c', 'completed', undefined],
    ]);
    expect(session.completions()).toEqual(completions);
    expect(session.background()).toHaveLength(3);
    for (const { id } of completions) expect(session.acknowledge(id)).toBe(true);
    expect([session.completions(), session.background()]).toEqual([[], []]);
    expect(watch.of('task_completed')).toHaveLength(3);
  });

  it.each(['paused', 'parked'] as const)(
    'an end that comes while its parent is %s is told when it goes on, once (F8)',
    async (how) => {
      const { opened: after, open } = gate();
      const { opened: early, open: end } = gate();
      const { supervisor, model, watch } = directing(
        {
          plan: [
            { calls: [inBackground('quick'), inBackground('slow')] },
            how === 'parked'
              ? { calls: [['TaskOutput', { task_id: 't3', timeout: 600_000 }]] }
              : { after: early, calls: [['TaskOutput', { task_id: 't3', timeout: 600_000 }]] },
            { text: 'all done' },
          ],
          slow: [{ after, text: 'slow done' }],
        },
        { tools: agentTools(), ...(how === 'parked' ? { limits: { maxLiveAgents: 1 } } : {}) },
      );
      const handle = supervisor.start({ goal: 'plan' });
      if (how === 'paused') {
        await watch.next('turn_started', ({ depth, turn }) => depth === 0 && turn === 2);
        handle.pause();
        end();
      }
      await watch.next('task_completed', ({ outcome }) => outcome.text === 'quick done');

      open();
      if (how === 'paused') {
        await watch.next('task_completed', ({ outcome }) => outcome.text === 'slow done');
        handle.resume();
      }
      const outcome = await within(handle.result(), 'the outcome');

      expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
      const last = model.requests('plan').at(-1);
      const quick = noticesIn(last).filter((text) => text.includes('Goal: quick'));
      expect(quick).toHaveLength(1);
      expect(quick[0]).toContain('quick done');
      // What was waited for is the result of the wait and no message besides.
      expect(noticesIn(last).filter((text) => text.includes('Goal: slow'))).toEqual([]);
    },
  );
});

describe('F9', () => {
  it('one blocking wait is one turn, however long it takes, and the parent asks its model nothing meanwhile (F9)', async () => {
    const { opened: after, open } = gate();
    const { supervisor, model, watch } = directing(
      {
        plan: [
          { calls: [inBackground('slow')] },
          { calls: [['TaskOutput', { task_id: 't2', timeout: 86_400_000 }]] },
          { text: 'all done' },
        ],
        slow: [{ after, text: 'slow done' }],
      },
      { tools: agentTools() },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await watch.next('tool_started', ({ name }) => name === 'TaskOutput');
    await turns(50);
    expect(model.requests('plan')).toHaveLength(2);

    open();
    await within(handle.result(), 'the outcome');

    expect(resultsIn(model.requests('plan')[2])).toEqual([['slow done', false]]);
    expect(model.requests('plan')).toHaveLength(3);
  });

  it('the same work cannot be started twice at once, and the refusal names who does it (F9)', async () => {
    const { opened: after, open } = gate();
    const { supervisor, model, watch } = directing(
      {
        plan: [
          { calls: [inBackground('index the code')] },
          { calls: [inBackground('index the code '), inBackground('index the tests')] },
          { calls: [['TaskOutput', { task_id: 't2', timeout: 86_400_000 }]] },
          { calls: [inBackground('index the code')] },
          { text: 'all done' },
        ],
        'index the code': [{ after }, { text: 'indexed' }],
        'index the tests': [{ text: 'tests' }],
      },
      { tools: agentTools() },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await cameTimes(watch, 'turn_started', 3, ({ depth }) => depth === 0);
    open();
    await within(handle.result(), 'the outcome');

    const [again, other] = resultsIn(model.requests('plan')[2]);
    expect(again).toEqual([
      expect.stringMatching(/background task t2 does this already and still runs/),
      true,
    ]);
    expect(other?.[1]).toBe(false);
    const refused = watch.of('tool_completed').find(({ failure }) => failure !== undefined);
    expect(refused?.failure?.code).toBe('duplicate_task');
    // Once it has ended it may be asked for anew.
    expect(resultsIn(model.requests('plan')[4])[0]?.[1]).toBe(false);
  });

  it('what runs can be asked for, is shown with every notice, and a named twin is no duplicate (F9)', async () => {
    const { opened: after, open } = gate();
    const { supervisor, watch } = directing({
      slow: [{ after, text: 'slow done' }],
    });
    const session = supervisor.session('chat');
    const tools = session.tools(agentTools());
    const call = (name: string, input: object) => within(tools.call(name, input), name);
    const background = { description: 'a', run_in_background: true };

    const nothing = await call('TaskOutput', {});
    const started = await call('Agent', { ...background, prompt: 'slow' });
    const again = await call('Agent', { ...background, prompt: 'slow' });
    session.start({ goal: 'slow', name: 'twin' });
    const list = await call('TaskOutput', { task_id: null });
    const waiting = await call('TaskOutput', { task_id: 't1', block: false });
    open();
    await cameTimes(watch, 'task_completed', 2);

    expect(nothing.content).toBe('In the background: nothing.');
    expect(started.content).toMatch(/^Task t1 runs in the background\. Its end is kept/);
    expect(again).toMatchObject({ isError: true, failure: { code: 'duplicate_task' } });
    expect(list.content).toMatch(
      /^In the background:\n- t1, (queued|ready|running|waiting): slow\n- t2, (queued|ready|running|waiting): slow$/,
    );
    expect(waiting.content).toMatch(/^Task t1 still runs\.[^\n]*\nIn the background:\n- t1, /);
  });

  it('a notice says what still runs, so that no call has to ask (F9)', async () => {
    const { opened: after, open } = gate();
    const { opened: received, open: tell } = gate();
    const { supervisor, model, watch } = directing(
      {
        plan: [
          { calls: [inBackground('quick'), inBackground('slow')] },
          { after: received, text: 'what else?' },
          { after, text: 'all done' },
        ],
        slow: [{ hang: true }],
      },
      { tools: agentTools() },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await watch.next('task_completed', ({ outcome }) => outcome.text === 'quick done');
    await turns();
    tell();
    await cameTimes(watch, 'turn_started', 3, ({ depth }) => depth === 0);
    open();
    await within(handle.result(), 'the outcome');

    const [notice] = noticesIn(model.requests('plan')[2]);
    expect(notice).toMatch(/^\[Background task t2 ended: completed\]/);
    expect(notice).toMatch(/\[Still running in the background: t3\]$/);
  });
});
