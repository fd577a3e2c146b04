// Checks what users say of stopping: it does not reach what is below, it kills without a word, and the work is lost.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor } from '#src/index.js';
import { ManualClock } from '#src/testing.js';
import { delegate, handsTo, named } from '../supervisor/family.ts';
import { supervise, toolFixture, turns, watched, within } from '../supervisor/support.ts';
import { directing, envelopeIn, resultsIn } from '../support/directed.ts';
import { acting, cameTimes, givenUp } from './support.ts';

const ignoring = { text: 'on it', toolCalls: [{ name: 'ignore', input: {} }] };

describe('F1', () => {
  it('a stopped parent leaves nothing alive: children that ignore it are ended, with a receipt each (F1)', async () => {
    const { supervisor, watch, model } = supervise(
      {
        agents: {
          root: [handsTo('deaf', 'middle')],
          middle: [handsTo('deaf')],
          deaf: [ignoring],
        },
      },
      {
        tools: [delegate, toolFixture('stubborn')],
        agents: named('root', 'middle', 'deaf'),
        limits: { maxSpawnDepth: 2 },
        // Time for those that obey, however busy the machine is.
        timeouts: { interruptGraceMs: 1_000, stopGraceMs: 50 },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'root', name: 'root' });
    await cameTimes(watch, 'tool_started', 2, ({ name }) => name === 'ignore');

    const receipts = await within(handle.interrupt(), 'the receipts');

    const stages = receipts.map(({ path, stage }) => [path.split('/').length - 2, stage]);
    expect(stages.sort()).toEqual([
      [0, 'interrupted'],
      [1, 'interrupted'],
      [1, 'killed'],
      [2, 'killed'],
    ]);
    expect(receipts.every(({ elapsedMs }) => elapsedMs >= 0)).toBe(true);
    expect([supervisor.tree(), supervisor.totals().live]).toEqual([[], 0]);
    const asked = model.requests().length;
    await within(supervisor.drain(), 'the last task');
    await turns(50);
    // Nobody went on behind the answer: no further turn, no further tool.
    expect(model.requests()).toHaveLength(asked);
    const ends = watch.of('task_completed').map(({ outcome }) => outcome.status);
    expect(ends).toEqual(Array(4).fill('interrupted'));
  });
});

describe('F2', () => {
  it('an interrupt ends the run it names and nothing else, lists what it touched, and the agent goes on after (F2)', async () => {
    const model = acting((request, call) => {
      const lastMessage = JSON.stringify(request.messages.at(-1));
      if (lastMessage.includes('digest')) return { text: 'in the background' };
      if (request.agent.name === 'helper') {
        call.onDelta({ type: 'text', text: 'half of it' });
        return givenUp(call);
      }
      if (lastMessage.includes('again'))
        return { text: `heard ${request.messages.length} messages` };
      return { text: 'asking', calls: [['delegate', { agents: ['helper'] }]] };
    });
    const { supervisor, watch } = watched(
      createSupervisor({ model, tools: [delegate], agents: named('lead', 'helper') }),
    );
    const lead = await within(supervisor.spawn('lead', { name: 'lead' }), 'the agent');
    const session = supervisor.session('chat');
    const aside = acting((_request, call) => givenUp(call));
    const background = session.start({ goal: 'aside', model: aside });
    const asked = lead.ask('look', { timeoutMs: 60_000 });
    await watch.next('model_delta', ({ depth }) => depth === 1);

    const receipts = await within(supervisor.interrupt('/lead'), 'the receipts');

    expect(receipts.map(({ path, stage }) => [path.split('/').length - 2, stage])).toEqual([
      [0, 'interrupted'],
      [1, 'interrupted'],
    ]);
    const [, below] = receipts;
    expect(below?.partial).toMatchObject({ text: 'half of it', phase: 'waiting_for_model' });
    expect(await within(asked, 'the run')).toMatchObject({
      status: 'interrupted',
      text: 'asking',
      partial: { toolTrace: [{ name: 'delegate' }] },
    });
    expect(session.background()).toMatchObject([{ taskId: background.id, status: 'waiting' }]);
    const again = await within(lead.ask('again', { timeoutMs: 60_000 }), 'the next run');
    expect(again).toMatchObject({ status: 'completed', text: 'heard 4 messages' });
  });
});

describe('F3', () => {
  const long = [
    { text: 'Found the first part.', calls: [['echo', { text: 'a' }]] as const },
    { hang: true as const },
  ];

  it('what a child had when its time was over is in the parent’s tool result, with nothing configured (F3)', async () => {
    const clock = new ManualClock();
    const { supervisor, watch, model } = directing(
      {
        plan: [
          { calls: [['delegate_task', { goal: 'long', toolsets: [] }]] },
          { text: 'I go on with the first part.' },
        ],
        long: [{ text: 'Found the first part.', calls: [['none', {}]] }, { hang: true }],
      },
      { tools: [delegateTaskTool()], clock, logDirectory: false },
    );
    const handle = supervisor.start({ goal: 'plan' });
    await watch.next('turn_started', ({ depth, turn }) => depth === 1 && turn === 2);

    await clock.advance(600_000);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'I go on with the first part.' });
    const [[content, isError] = ['', true]] = resultsIn(model.requests('plan')[1]);
    const { results } = envelopeIn({ content, isError });
    expect(results).toMatchObject([
      {
        status: 'timeout',
        exit_reason: 'idle_timeout',
        summary: 'Found the first part.',
        error: { code: 'idle_timeout' },
        partial: { turns: 2, phase: 'waiting_for_model', tool_trace: [{ name: 'none' }] },
      },
    ]);
  });

  it('a child of Agent that is cut hands over what it had, in words (F3)', async () => {
    const clock = new ManualClock();
    const { supervisor, watch, model } = directing(
      { plan: [{ calls: [['Agent', { description: 'l', prompt: 'long' }]] }], long },
      { tools: [...agentTools(), toolFixture('plain')], clock, logDirectory: false },
    );
    const handle = supervisor.start({ goal: 'plan', maxTurns: 2 });
    await watch.next('turn_started', ({ depth, turn }) => depth === 1 && turn === 2);

    await clock.advance(600_000);
    await watch.next('turn_started', ({ depth, turn }) => depth === 0 && turn === 2);
    const [result] = resultsIn(model.requests('plan')[1]);

    expect(result?.[1]).toBe(true);
    expect(result?.[0]).toMatch(/did not finish: no activity for 600000 ms/);
    expect(result?.[0]).toMatch(/What it had so far:\nFound the first part\./);
    await within(handle.interrupt(), 'the receipts');
  });

  it('every end that is no success carries what there was, whoever ended it (F3)', async () => {
    const { supervisor, watch } = supervise(
      {
        agents: {
          spinner: [ignoring],
          crasher: [{ text: 'on it', toolCalls: [{ name: 'exit', input: {} }] }],
          talker: [{ chunks: ['on', ' it'], hang: true }],
          looper: [{ text: 'on it', toolCalls: [{ name: 'echo', input: { text: 'x' } }] }],
        },
      },
      {
        tools: [toolFixture('stubborn')],
        agents: named('spinner', 'crasher', 'talker', 'looper'),
        timeouts: { interruptGraceMs: 1_000, stopGraceMs: 50 },
      },
    );
    const start = (agent: string) => supervisor.start({ goal: 'a', agent, maxTurns: 1 });
    const [spinner, crasher, talker, looper] = ['spinner', 'crasher', 'talker', 'looper'].map(
      start,
    );
    await watch.next('tool_started', ({ name }) => name === 'ignore');
    await watch.next('model_delta');

    await within(Promise.all([spinner?.interrupt(), talker?.interrupt()]), 'the receipts');
    const all = [spinner, crasher, talker, looper].map((handle) => handle?.result());
    const outcomes = await within(Promise.all(all), 'the outcomes');

    expect(outcomes.map((outcome) => [outcome?.exitReason, outcome?.text])).toEqual([
      ['killed', 'on it'],
      ['crashed', 'on it'],
      ['interrupted', 'on it'],
      ['max_turns', 'on it'],
    ]);
    for (const outcome of outcomes) {
      expect(outcome?.partial).toMatchObject({ text: 'on it', turns: 1 });
      expect(outcome?.usage.own.modelCalls, 'one that broke off counts').toBe(1);
    }
    expect(outcomes[0]?.partial?.toolTrace).toMatchObject([{ name: 'ignore', status: 'running' }]);
  });
});
