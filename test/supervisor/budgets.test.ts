// Checks budgets of tasks, definitions and jobs: what is counted under them, what they refuse, and what a model is told.
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  createSupervisor,
  type Outcome,
  type SupervisorOptions,
  type Task,
  type Usage,
} from '#src/index.js';
import { type Act, acting, goalOf, noticesIn } from '../field/support.ts';
import { rejection, toolFixture, watched, within } from './support.ts';

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

/** Agents whose goal begins with "burn" use up to 1,000 tokens a turn and never end by themselves. */
function burning(plan: Act = { text: 'plan done' }) {
  return acting((request) => {
    const goal = goalOf(request) ?? '';
    const isBurning = goal.startsWith('burn');
    if (!isBurning) return request.turn === 1 ? plan : { text: 'plan done' };
    const outputTokens = Math.min(1_000, request.maxOutputTokens ?? 1_000);
    return { text: 'more', calls: [['echo', { text: 'x' }]], outputTokens };
  });
}

const delegating: Act = {
  calls: [['delegate_task', { toolsets: [], tasks: [{ goal: 'burn a' }, { goal: 'burn b' }] }]],
};

function arrange(plan?: Act, options: Partial<SupervisorOptions> = {}) {
  const tools = [delegateTaskTool(), toolFixture('plain')];
  return watched(createSupervisor({ model: burning(plan), tools, ...options }));
}

const ends = (outcomes: readonly Outcome[]) => outcomes.map(({ exitReason }) => exitReason);

describe('the budget of a task (V10)', () => {
  it('holds for its run with all that it delegates, and for no other task (V10)', async () => {
    const { supervisor } = arrange(delegating);
    const tasks: Task[] = [
      { goal: 'plan', budget: { maxTokens: 12_000 } },
      { goal: 'plan again', budget: { maxTokens: 30_000 } },
    ];

    const [small, large] = await within(supervisor.delegate(tasks), 'the outcomes');

    const used = [small, large].map((each) => tokensOf(each?.usage.subtree ?? ({} as Usage)));
    expect(used[0]).toBeGreaterThan(4_000);
    expect(used[0]).toBeLessThanOrEqual(12_000);
    expect(used[1]).toBeGreaterThan(12_000);
    expect(used[1]).toBeLessThanOrEqual(30_000);
  });

  it('is that of its agent where it sets none, limit by limit (V10)', async () => {
    const { supervisor } = arrange();
    const agent = { name: 'burner', budget: { maxTurns: 3, maxTokens: 1_000_000 } };

    const [own, set] = await within(
      supervisor.delegate([
        { goal: 'burn', agent },
        { goal: 'burn', agent, budget: { maxTurns: 5 } },
      ]),
      'the outcomes',
    );

    expect([own, set].map((each) => [each?.exitReason, each?.usage.own.modelCalls])).toEqual([
      ['max_turns', 3],
      ['max_turns', 5],
    ]);
    expect(own?.error).toMatchObject({
      code: 'max_turns',
      message: 'the budget of 3 turns of the task is used up',
      detail: { scope: 'task', limit: 'maxTurns' },
    });
  });

  it('begins anew with every run of a persistent agent (V10)', async () => {
    const { supervisor } = arrange();
    const burner = await supervisor.spawn({ name: 'burner', budget: { maxTurns: 2 } });

    const timeout = { timeoutMs: 60_000 };
    const first = await burner.ask('burn', timeout);
    const second = await burner.ask('burn more', timeout);

    expect([first, second].map(({ usage }) => usage.own.modelCalls)).toEqual([2, 2]);
  });

  it('is kept where runs leave their threads at every wait (V10, W1)', async () => {
    const { supervisor } = arrange(delegating, { threads: { parking: 'always' } });

    const outcome = await within(
      supervisor.delegate({ goal: 'plan', budget: { maxTokens: 12_000 } }),
      'the outcome',
    );

    expect(tokensOf(outcome.usage.subtree)).toBeLessThanOrEqual(12_000);
    expect(tokensOf(outcome.usage.subtree)).toBeGreaterThan(4_000);
  });
});

describe('the budget of a job (V10)', () => {
  const job = Array.from({ length: 6 }, (_, at) => ({ goal: `burn ${at}` }));
  const budget = { maxTokens: 20_000 };

  it('is never exceeded by tasks of one delegate that run at once (V10)', async () => {
    const { supervisor, watch } = arrange();

    const outcomes = await within(supervisor.delegate(job, { budget }), 'the outcomes');

    const used = tokensOf(supervisor.totals().usage);
    expect(used).toBeGreaterThan(15_000);
    expect(used).toBeLessThanOrEqual(20_000);
    expect(ends(outcomes)).toEqual(Array(6).fill('budget'));
    expect(outcomes[0]?.error?.detail).toEqual({ scope: 'job', limit: 'maxTokens' });
    expect(watch.of('budget_warning')).toMatchObject([{ scope: 'job', max: 20_000 }]);
  });

  it('is never exceeded by what a map runs, and the next map has its own (V10)', async () => {
    const { supervisor } = arrange();
    const run = async (): Promise<number> => {
      const before = tokensOf(supervisor.totals().usage);
      for await (const { exitReason } of supervisor.map(job, { concurrency: 3, budget })) {
        expect(exitReason).toBe('budget');
      }
      return tokensOf(supervisor.totals().usage) - before;
    };

    const used = [await within(run(), 'a map'), await within(run(), 'another map')];

    for (const each of used) {
      expect(each).toBeGreaterThan(15_000);
      expect(each).toBeLessThanOrEqual(20_000);
    }
  });

  it('refuses a model without a price before it is asked (V10)', async () => {
    const { supervisor, watch } = arrange();
    const dollars = { budget: { maxCostUsd: 1 } };

    const refusals = [
      await rejection(supervisor.delegate(job, dollars)),
      await rejection(supervisor.map(job, dollars).next()),
      await rejection(supervisor.delegate({ goal: 'plan', ...dollars })),
    ];

    for (const error of refusals) {
      expect(error).toMatchObject({ code: 'model_price_missing', detail: { model: 'acting' } });
    }
    expect(watch.of('turn_started')).toEqual([]);
  });
});

describe('a model that is to be warned of its budget', () => {
  it('is told in the request from four fifths on, and its conversation keeps nothing of it', async () => {
    const notes: (readonly string[])[] = [];
    const model = acting((request) => {
      notes.push(noticesIn(request).filter((text) => text.startsWith('Budget')));
      return request.turn === 5
        ? { text: 'done' }
        : { calls: [['echo', { text: 'x' }]], outputTokens: 10 };
    });
    const { supervisor } = watched(createSupervisor({ model, tools: [toolFixture('plain')] }));
    const handle = supervisor.start({ goal: 'go', budget: { maxTurns: 5, warnModel: true } });

    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(notes).toEqual([
      [],
      [],
      [],
      [],
      [
        'Budget: 80 % of the 5 responses of this task and what it delegates are used.\nFinish with what you have.',
      ],
    ]);
    expect(JSON.stringify(supervisor.transcript(handle.id))).not.toContain('Budget:');
  });
});

describe('a wrong budget', () => {
  it.each<[string, Task, object, string]>([
    ['a limit of 0', { goal: 'x', budget: { maxTokens: 0 } }, {}, 'budget.maxTokens'],
    [
      'a limit that there is not',
      // @ts-expect-error a name that no budget has
      { goal: 'x', budget: { maxDollars: 5 } },
      {},
      'maxDollars',
    ],
    ['a number', { goal: 'x' }, { budget: 5 }, 'budget'],
  ])('is refused before anything starts: %s', async (_, task, options, field) => {
    const { supervisor, watch } = arrange();

    const error = await rejection(supervisor.delegate([task], options));

    expect(error).toMatchObject({
      code: expect.stringMatching(/^invalid_(task|options)$/),
      message: expect.stringContaining(field),
    });
    expect(watch.of('task_queued')).toEqual([]);
  });

  it('of start says where that of a task is given', () => {
    const { supervisor } = arrange();
    // @ts-expect-error the budget of one task is its own
    const start = () => supervisor.start({ goal: 'x' }, { budget: { maxTurns: 1 } });

    expect(start).toThrow('start({ goal, budget })');
  });
});
