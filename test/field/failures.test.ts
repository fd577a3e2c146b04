// Checks what users say of failures: they look like answers, they take siblings along, and answers have no shape below the top.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor, defineTool } from '#src/index.js';
import { delegate, handsTo, named } from '../supervisor/family.ts';
import {
  answered,
  inShort,
  superviseInManualTime,
  toolFixture,
  turns,
  watched,
  within,
} from '../supervisor/support.ts';
import { directing, envelopeIn, type Parts, resultsIn } from '../support/directed.ts';
import { acting, cameTimes, goalOf } from './support.ts';

const use = (name: string) => [name, {}] as const;

/** Children that come to no good, each with the code that says how. */
const bad: Parts = {
  broken: [{ fail: 'the provider is down' }],
  silent: [{ text: '' }],
  blank: [{ text: ' \n' }],
  crashed: [{ text: 'on it', calls: [use('exit')] }],
  endless: [{ text: 'again', calls: [['echo', { text: 'x' }]] }],
};
const codes = {
  broken: 'model_failed',
  silent: 'model_empty_answer',
  blank: 'model_empty_answer',
  crashed: 'thread_exited',
  endless: 'max_turns',
};
const goals = Object.keys(codes) as (keyof typeof codes)[];
const tools = [toolFixture('stubborn')];

describe('F15', () => {
  it('no failure of a child is a success to delegate_task, and none is without a reason (F15)', async () => {
    const { supervisor } = directing(bad, {
      limits: { maxConcurrentChildren: goals.length + 1 },
    });
    const session = supervisor.session('chat');
    const toolbox = session.tools(delegateTaskTool({ maxIterations: 2 }));

    const call = toolbox.call('delegate_task', batchOf([...goals, 'fine']));
    const { results } = envelopeIn(await within(call, 'the result'));

    expect(results.map(({ status }) => status)).toEqual([
      ...goals.map(() => 'failed'),
      'completed',
    ]);
    // These children have no tool that could end their thread: what they asked for is refused, turn by turn.
    const errorCodes = results.map(({ error }) => error?.code);
    expect(errorCodes).toEqual([
      'model_failed',
      'model_empty_answer',
      'model_empty_answer',
      'max_turns',
      'max_turns',
      undefined,
    ]);
  });

  it('every failure is an error to the model that called Agent, in words (F15)', async () => {
    const { supervisor, model } = directing(
      {
        plan: [
          { calls: goals.map((goal) => ['Agent', { description: goal, prompt: goal }] as const) },
          { text: 'done' },
        ],
        ...bad,
      },
      {
        tools: [...agentTools(), ...tools],
        budget: { maxTurns: 3 },
        limits: { maxConcurrentChildren: goals.length },
      },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const results = resultsIn(model.requests('plan')[1]);
    // Out of turns with a text, it is read as the text with the reason beside it.
    expect(results.map(([, isError]) => isError)).toEqual(goals.map((goal) => goal !== 'endless'));
    for (const [content, isError] of results) {
      if (isError) expect(content).toMatch(/the subagent did not finish: \S/);
      else expect(content).toMatch(/^again[\s\S]*turns/);
    }
    expect(results[1]?.[0]).toContain('the model ended its turn without any text');
    expect(results[3]?.[0]).toContain('What it had so far:\non it');
  });

  it('the outcome of a run that comes to no good is typed, and no text stands in for it (F15)', async () => {
    const { supervisor } = directing(bad, { tools });
    const tasks = goals.map((goal) => ({ goal, maxTurns: 2 }));

    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

    expect(outcomes).toHaveLength(goals.length);
    for (const [at, goal] of goals.entries()) {
      const { status, error } = outcomes[at] ?? {};
      expect(status, goal).toBe('failed');
      expect(error, goal).toMatchObject({ code: codes[goal], retryable: expect.any(Boolean) });
      expect(error?.message, goal).not.toBe('');
    }
  });

  it('a child of task that says nothing is shown as such, not as an empty answer (F15, E12)', async () => {
    const { supervisor, model } = directing(
      { plan: [{ calls: [['task', { prompt: 'silent' }]] }, { text: 'done' }], ...bad },
      { tools: [taskTool()] },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(resultsIn(model.requests('plan')[1])).toEqual([['(no summary)', false]]);
  });
});

describe('F16', () => {
  it('a child that fails, crashes or hangs leaves its siblings alone, and results are in input order (F16)', async () => {
    const { supervisor, watch, clock, model } = superviseInManualTime(
      {
        agents: {
          boss: [handsTo('broken', 'slow', 'crashed', 'hung', 'quick'), { text: 'done' }],
          broken: [{ throw: { status: 400, message: 'no' } }],
          crashed: [{ toolCalls: [{ name: 'exit', input: {} }] }],
          hung: [{ hang: true }],
          slow: [{ delayMs: 900, text: 'slow done' }],
          quick: [{ text: 'quick done' }],
        },
      },
      {
        tools: [delegate, toolFixture('stubborn')],
        agents: [
          ...named('boss', 'broken', 'crashed', 'slow', 'quick'),
          { name: 'hung', idleTimeoutMs: 500 },
        ],
        limits: { maxConcurrentChildren: 5 },
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'boss' });
    const ended = async (name: string) => {
      await watch.next('task_completed', ({ outcome }) => outcome.agent.name === name);
    };
    for (const name of ['broken', 'crashed', 'quick']) await ended(name);
    // Their times count from their requests on, which come whenever their threads are there.
    await cameTimes(watch, 'turn_started', 6);
    const isAsked = (name: string) => model.requests().some(({ agent }) => agent.name === name);
    for (let left = 1_000; left > 0 && !(isAsked('slow') && isAsked('hung')); left -= 1) {
      await turns();
    }
    expect([isAsked('slow'), isAsked('hung')]).toEqual([true, true]);
    await clock.advance(500);
    await ended('hung');
    await clock.advance(400);
    const outcome = await within(handle.result(), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(answered(model)).toEqual([
      ['model_bad_request, slow done, thread_exited, idle_timeout, quick done', false],
    ]);
  });
});

describe('F21', () => {
  const verdict = z.object({ ok: z.boolean(), score: z.number() });

  it('a tool at depth 1 gets a typed answer of each child at depth 2, corrected on the way (F21)', async () => {
    const seen: unknown[] = [];
    const judge = defineTool({
      name: 'judge',
      description: 'Has two reviewers judge.',
      input: z.object({}),
      async run(_input, tool) {
        const outcomes = await tool.delegate(
          ['first', 'second'].map((goal) => ({ goal, outputSchema: verdict })),
        );
        for (const { structured } of outcomes) seen.push(verdict.parse(structured));
        return seen;
      },
    });
    const model = acting((request) => {
      const goal = goalOf(request);
      if (goal === 'hand' && request.turn === 1) return { calls: [['hand', {}]] };
      if (goal === 'middle' && request.turn === 1) return { calls: [['judge', {}]] };
      if (goal === 'first' && request.turn === 1) {
        return { calls: [['generate_response', { ok: 'yes' }]] };
      }
      if (goal === 'first') return { calls: [['generate_response', { ok: true, score: 1 }]] };
      if (goal === 'second') return { calls: [['generate_response', { ok: false, score: 2 }]] };
      return { text: `${goal} done` };
    });
    const { supervisor, watch } = watched(
      createSupervisor({
        model,
        agents: [{ name: 'middle' }],
        tools: [judge, agentHandOver],
        limits: { maxSpawnDepth: 2 },
      }),
    );

    const outcome = await within(supervisor.delegate({ goal: 'hand' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(seen).toEqual([
      { ok: true, score: 1 },
      { ok: false, score: 2 },
    ]);
    const judged = watch.of('task_completed').filter(({ depth }) => depth === 2);
    expect(judged.map(({ outcome: { exitReason } }) => exitReason)).toEqual(['goal', 'goal']);
  });

  it('a kind of agent with a shape answers in it whoever delegates, and is an error when it never fits (F21)', async () => {
    const agents = [{ name: 'judge', outputSchema: verdict, loop: { maxCorrections: 1 } }];
    const { supervisor, model } = directing(
      {
        plan: [
          {
            calls: ['good', 'bad'].map(
              (goal) =>
                ['Agent', { description: goal, prompt: goal, subagent_type: 'judge' }] as const,
            ),
          },
          { text: 'done' },
        ],
        good: [{ calls: [['generate_response', { ok: true, score: 3 }]] }],
        bad: [{ text: 'It is fine.' }],
      },
      { tools: agentTools(), agents },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const [good, other] = resultsIn(model.requests('plan')[1]);
    expect([JSON.parse(good?.[0] ?? ''), good?.[1]]).toEqual([{ ok: true, score: 3 }, false]);
    expect(other).toEqual([expect.stringMatching(/no call of generate_response fitted/), true]);
  });
});

const agentHandOver = defineTool({
  name: 'hand',
  description: 'Hands the work to the middle.',
  input: z.object({}),
  run: async (_input, tool) =>
    (await tool.delegate([{ goal: 'middle', agent: 'middle' }])).map(({ text }) => text).join(),
});

function batchOf(parts: readonly string[]) {
  return { toolsets: [], tasks: parts.map((goal) => ({ goal })) };
}
