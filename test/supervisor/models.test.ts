// Checks what a model's failures and a budget's end make of a run: outcomes, never exceptions (V10, X11).
import { describe, expect, it } from 'vitest';
import { defineAgent, type Model } from '#src/index.js';
import { delegate, handsTo } from './family.ts';
import { inShort, supervise, toolFixture, within } from './support.ts';

const plain = { tools: [toolFixture('plain')] };

describe('a model that fails', () => {
  it.each([
    [429, 'model_rate_limited', true],
    [500, 'model_failed', true],
    [529, 'model_overloaded', true],
    [401, 'model_auth', false],
    [400, 'model_bad_request', false],
    [0, 'model_disconnected', true],
  ])('with status %i is an outcome that says %s (X11)', async (status, code, retryable) => {
    const { supervisor } = supervise(
      {
        default: [
          { text: 'so far', toolCalls: [{ name: 'echo', input: { text: 'a' } }] },
          { throw: { status, message: 'the provider says no' } },
        ],
      },
      plain,
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['error', code, 'so far']);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: 'the provider says no', retryable },
      partial: { toolTrace: [{ name: 'echo' }], turns: 2 },
    });
  });

  it('says script_exhausted past the end of its script', async () => {
    const { supervisor } = supervise(
      { default: [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }] },
      plain,
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome).toMatchObject({ exitReason: 'error', error: { code: 'script_exhausted' } });
  });

  it.each([
    ['refuses', { text: 'no', stopReason: 'refusal' }, ['refused', 'model_refused', 'no']],
    ['says nothing', { text: '' }, ['error', 'model_empty_answer', '']],
    ['is cut', { text: 'half', stopReason: 'max_tokens' }, ['error', 'model_output_limit', 'half']],
  ] as const)('that %s ends the run so (X11)', async (_how, step, expected) => {
    const { supervisor } = supervise({ default: [step] });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(expected);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('thrown');
      },
    ],
    ['rejects', () => Promise.reject(new Error('rejected'))],
    ['answers nonsense', () => Promise.resolve({ content: 'text' } as never)],
    ['answers what cannot be cloned', () => Promise.resolve({ content: [() => {}] } as never)],
  ] as const)('as an object that %s costs one run', async (_how, respond) => {
    const bad: Model = { id: 'bad', respond };
    const { supervisor } = supervise({ default: [{ text: 'good' }] });

    const outcome = await within(supervisor.delegate({ goal: 'a', model: bad }), 'the outcome');
    const next = await within(supervisor.delegate({ goal: 'b' }), 'the next');

    expect(outcome.status).toBe('failed');
    expect(next.text).toBe('good');
  });

  it('that hangs is left by an interrupt, with what it streamed (S5)', async () => {
    const { supervisor, watch } = supervise({ default: [{ chunks: ['a ', 'b'], hang: true }] });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('model_delta');

    await within(handle.interrupt(), 'the receipts');

    expect(await handle.result()).toMatchObject({ exitReason: 'interrupted', text: 'a b' });
  });

  it('is chosen by the task, else by the agent, else by the supervisor (X4)', async () => {
    const { supervisor } = supervise(
      { default: [{ text: 'the supervisor’s' }] },
      { agents: [defineAgent({ name: 'own', model: saying('the agent’s') })] },
    );

    const outcomes = await within(
      supervisor.delegate([
        { goal: 'a' },
        { goal: 'b', agent: 'own' },
        { goal: 'c', agent: 'own', model: saying('the task’s') },
      ]),
      'the outcomes',
    );

    expect(outcomes.map(({ text, model }) => [text, model])).toEqual([
      ['the supervisor’s', 'scripted'],
      ['the agent’s', 'the agent’s'],
      ['the task’s', 'the task’s'],
    ]);
  });
});

describe('a budget', () => {
  const turn = {
    text: 'step',
    toolCalls: [{ name: 'echo', input: { text: 'a' } }],
    usage: { inputTokens: 3_000, outputTokens: 1_000 },
  };

  it('of tokens ends the run that does not fit, with what it had (V10)', async () => {
    const { supervisor, model } = supervise(
      { default: [{ ...turn, repeat: true }] },
      { ...plain, budget: { maxTokens: 10_000 } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['budget', 'budget_tokens', 'step']);
    expect(outcome.status).toBe('failed');
    expect(outcome.usage.own.inputTokens + outcome.usage.own.outputTokens).toBeLessThanOrEqual(
      10_000,
    );
    expect(model.requests()).toHaveLength(outcome.usage.own.modelCalls);
  });

  it('is each run’s own (V10)', async () => {
    const { supervisor } = supervise(
      { default: [turn, { text: 'done' }] },
      { ...plain, budget: { maxTokens: 10_000 } },
    );

    const outcomes = await within(
      supervisor.delegate([{ goal: 'a' }, { goal: 'b' }, { goal: 'c' }]),
      'the outcomes',
    );

    expect(outcomes.map(({ exitReason }) => exitReason)).toEqual(['goal', 'goal', 'goal']);
  });

  it('of a tree binds its root and everything below it, and no other tree (V10)', async () => {
    const { supervisor, watch } = supervise(
      {
        agents: {
          top: [handsTo('leaf', 'leaf', 'leaf'), handsTo('leaf', 'leaf', 'leaf'), { text: 'done' }],
        },
      },
      {
        tools: [delegate],
        agents: [{ name: 'top' }, { name: 'leaf', model: thrifty }],
        budget: { perTree: { maxTokens: 12_000 } },
      },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'top' }), 'the outcome');
    const after = await within(supervisor.delegate({ goal: 'b', agent: 'leaf' }), 'another tree');

    const { inputTokens, outputTokens } = outcome.usage.subtree;
    expect(inputTokens + outputTokens).toBeLessThanOrEqual(12_000);
    const ends = watch.of('task_completed').map(({ outcome: { exitReason } }) => exitReason);
    expect(ends).toContain('budget');
    expect(after.text).toBe('leaf');
  });

  it('of turns per tree is kept by the gateway (X9)', async () => {
    const { supervisor, model } = supervise(
      { default: [{ ...turn, repeat: true }] },
      { ...plain, budget: { perTree: { maxTurns: 3 } } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['max_turns', 'max_turns', 'step']);
    expect(model.requests()).toHaveLength(3);
  });
});

/** Writes as much as it may, as a provider's model would. */
const thrifty: Model = {
  ...saying('leaf'),
  async respond(request, call) {
    const response = await saying('leaf').respond(request, call);
    const outputTokens = Math.min(4_000, request.maxOutputTokens ?? 4_000);
    return { ...response, usage: { inputTokens: 1, outputTokens } };
  },
};

function saying(text: string): Model {
  return {
    id: text,
    respond: async () => ({
      content: [{ type: 'text', text }],
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      isEstimated: false,
      model: text,
    }),
  };
}
