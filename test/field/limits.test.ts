// Checks what users say of fan-out: it runs away, it fails at the cap instead of waiting, and it locks itself up.
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor } from '#src/index.js';
import { delegate, handsTo, named, tree } from '../supervisor/family.ts';
import { answered, gate, inShort, supervise, watched, within } from '../supervisor/support.ts';
import { directing, envelopeIn, resultsIn } from '../support/directed.ts';
import { acting } from './support.ts';

const batch = (count: number, more: object = {}) => ({
  toolsets: [],
  ...more,
  tasks: Array.from({ length: count }, (_, at) => ({ goal: `part ${at}` })),
});

/** A model that delegates three more whenever it may, at every level, and says `done` once that was done or refused. */
const greedy = () =>
  acting(({ turn }) =>
    turn > 1
      ? { text: 'done' }
      : { text: 'more', calls: [['delegate_task', batch(3, { role: 'orchestrator' })]] },
  );

describe('F10', () => {
  it('a model that always delegates meets the depth, and every agent there is has an end (F10)', async () => {
    const { supervisor, watch } = watched(
      createSupervisor({
        model: greedy(),
        tools: [delegateTaskTool()],
        limits: { maxSpawnDepth: 3, maxLiveAgents: 4 },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    const depths = watch.of('agent_started').map(({ depth }) => depth ?? 0);
    expect([0, 1, 2, 3, 4].map((level) => depths.filter((each) => each === level).length)).toEqual([
      1, 3, 9, 27, 0,
    ]);
  });

  it.each([1, 4])(
    'no tree has more agents than its limit, however its models delegate, with %i slots (F10)',
    async (maxLiveAgents) => {
      const { supervisor, watch } = watched(
        createSupervisor({
          model: greedy(),
          tools: [delegateTaskTool()],
          limits: { maxSpawnDepth: 3, maxTotalAgents: 12, maxLiveAgents },
        }),
      );

      const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

      expect(outcome.status).toBe('completed');
      expect(watch.of('agent_started').length).toBe(12);
      const refused = watch
        .of('task_completed')
        .filter(({ outcome: { exitReason } }) => exitReason === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      expect(new Set(refused.map(({ outcome: { error } }) => error?.code))).toEqual(
        new Set(['max_total_agents']),
      );
    },
  );

  it('one request for 104 agents starts none, and says both numbers (F10)', async () => {
    const { supervisor, model, watch } = directing(
      { plan: [{ calls: [['delegate_task', batch(104)]] }, { text: 'done' }] },
      { tools: [delegateTaskTool()] },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(resultsIn(model.requests('plan')[1])).toEqual([
      [expect.stringMatching(/104 tasks in one call, the limit is 3/), true],
    ]);
    expect(watch.of('agent_started')).toHaveLength(1);
  });

  it('a tree that delegates for ever ends with its budget, counted outside of the models (F10)', async () => {
    const { supervisor } = watched(
      createSupervisor({
        model: acting(({ turn }) => ({
          text: `turn ${turn}`,
          calls: [['delegate_task', batch(3)]],
        })),
        tools: [delegateTaskTool()],
        budget: { perTree: { maxTurns: 30 } },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(inShort(outcome).slice(0, 2)).toEqual(['max_turns', 'max_turns']);
    expect(outcome.usage.subtree.modelCalls).toBeLessThanOrEqual(30);
    expect(supervisor.totals().usage.modelCalls).toBe(outcome.usage.subtree.modelCalls);
  });
});

describe('F11', () => {
  it('what is over the cap waits its turn in order, its place told, and nothing is refused (F11)', async () => {
    const { supervisor, watch } = directing({}, { limits: { maxLiveAgents: 1 } });
    const goals = Array.from({ length: 20 }, (_, at) => `task ${at}`);

    const outcomes = await within(
      supervisor.delegate(goals.map((goal) => ({ goal }))),
      'the outcomes',
    );

    expect(outcomes.map(({ text }) => text)).toEqual(goals.map((goal) => `${goal} done`));
    expect(watch.of('task_queued').map(({ position }) => position)).toEqual([
      0,
      ...goals.slice(1).map((_, at) => at),
    ]);
    const queued = watch.of('task_queued').map(({ taskId }) => taskId);
    expect(watch.of('task_started').map(({ taskId }) => taskId)).toEqual(queued);
  });

  it('children beyond the slots wait too: a batch of ten on two slots is ten results (F11)', async () => {
    const { supervisor, model } = directing(
      { plan: [{ calls: [['delegate_task', batch(10)]] }, { text: 'done' }] },
      {
        tools: [delegateTaskTool()],
        limits: { maxLiveAgents: 2, maxConcurrentChildren: 10, overflow: 'reject' },
      },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const [[content, isError] = ['', true]] = resultsIn(model.requests('plan')[1]);
    expect(envelopeIn({ content, isError }).results.map(({ summary }) => summary)).toEqual(
      Array.from({ length: 10 }, (_, at) => `part ${at} done`),
    );
  });

  it('the line itself is bounded with a typed refusal, and refusing at once is a choice (F11)', async () => {
    const { opened: after, open } = gate();
    const parts = { first: [{ after }, { text: 'first done' }] };
    const bounded = directing(parts, { limits: { maxLiveAgents: 1, maxQueued: 2 } });
    const eager = directing(parts, { limits: { maxLiveAgents: 1, overflow: 'reject' } });
    const rest = ['a', 'b', 'c'].map((goal) => ({ goal }));

    const runs = [bounded, eager].map(({ supervisor }) =>
      supervisor.delegate([{ goal: 'first' }, ...rest]),
    );
    await bounded.watch.next('task_completed');
    await eager.watch.next('task_completed');
    open();
    const [waited, refused] = await within(Promise.all(runs), 'the outcomes');

    const codes = (outcomes: typeof waited) => outcomes?.map(({ error }) => error?.code ?? 'done');
    expect(codes(waited)?.slice(1)).toEqual(['done', 'done', 'max_queued']);
    expect(codes(refused)?.slice(1)).toEqual(Array(3).fill('max_live_agents'));
    expect(refused?.at(-1)).toMatchObject({ exitReason: 'rejected', turns: 0 });
  });
});

describe('F12', () => {
  it.each([1, 2])(
    'a tree of 3 x 3 x 3 below one root ends with %i slots: whoever waits gives its slot up (F12)',
    async (maxLiveAgents) => {
      const { script, agents } = tree(3, 3);
      const { supervisor, watch } = supervise(script, {
        tools: [delegate],
        agents,
        limits: { maxSpawnDepth: 3, maxLiveAgents },
      });

      const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'it');

      expect(outcome.status).toBe('completed');
      expect(watch.of('agent_started')).toHaveLength(1 + 3 + 9 + 27);
      const failed = watch
        .of('task_completed')
        .filter((event) => event.outcome.status !== 'completed');
      expect(failed).toEqual([]);
    },
  );

  it('parents that hold every slot do not keep each other’s children from starting (F12)', async () => {
    const { supervisor, model } = supervise(
      { agents: { boss: [handsTo('leaf'), { text: 'boss done' }], leaf: [{ text: 'leaf done' }] } },
      { tools: [delegate], agents: named('boss', 'leaf'), limits: { maxLiveAgents: 4 } },
    );
    const bosses = Array.from({ length: 12 }, (_, at) => ({ goal: `a ${at}`, agent: 'boss' }));

    const outcomes = await within(supervisor.delegate(bosses), 'the outcomes');

    expect(outcomes.map(({ text }) => text)).toEqual(Array(12).fill('boss done'));
    expect(answered(model)).toEqual([['leaf done', false]]);
  });
});
