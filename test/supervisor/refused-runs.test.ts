// Checks what a run that is refused or given up says, and what a model object of the program is called with.
import { describe, expect, it } from 'vitest';
import type { Model, ModelCall } from '#src/index.js';
import { supervise, within } from './support.ts';

const script = { default: [{ text: 'done' }] };
const long = 'x'.repeat(9_000_000);

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('expected it to throw');
}

describe('a goal or context that no mailbox holds (M5)', () => {
  it.each([
    ['goal', { goal: long }],
    ['context', { goal: 'a', context: long }],
  ])('is refused with its length before anything starts: %s', async (field, task) => {
    const { supervisor, watch } = supervise(script, { agents: [{ name: 'clerk' }] });
    const agent = await supervisor.spawn('clerk');
    const refusal = {
      code: 'invalid_task',
      message: expect.stringMatching(
        `task: .*${field} has 9,000,000.* characters.*7,500,000.*file`,
      ),
      detail: { field },
    };

    expect(thrownBy(() => supervisor.validate(task))).toMatchObject(refusal);
    expect(thrownBy(() => supervisor.start(task))).toMatchObject(refusal);
    await expect(within(supervisor.delegate(task), 'delegate')).rejects.toMatchObject(refusal);
    await expect(within(supervisor.map([task]).next(), 'map')).rejects.toMatchObject(refusal);
    const inSession = supervisor.session('chat').run(task);
    await expect(within(inSession, 'the session')).rejects.toMatchObject(refusal);
    const { goal, ...more } = task;
    const asked = agent.ask(goal, { ...more, timeoutMs: 60_000 });
    await expect(within(asked, 'ask')).rejects.toMatchObject(refusal);
    expect(watch.of('task_queued')).toEqual([]);
  });

  it('is taken where it fits', async () => {
    const { supervisor } = supervise(script);
    const goal = 'x'.repeat(7_000_000);

    const outcome = await within(supervisor.delegate({ goal }), 'the outcome');

    expect(outcome.status).toBe('completed');
  });
});

describe('metadata (M6)', () => {
  it.each([
    ['a function', { f: () => 1 }],
    ['an instance', { of: new (class Thing {})() }],
    ['a symbol', { s: Symbol('s') }],
  ])('with %s is refused wherever it is given', async (_what, metadata) => {
    const { supervisor } = supervise(script, { agents: [{ name: 'clerk' }] });
    const agent = await supervisor.spawn('clerk');
    const refusal = { code: 'invalid_task', message: expect.stringContaining('metadata.') };

    expect(thrownBy(() => supervisor.validate({ goal: 'a', metadata }))).toMatchObject(refusal);
    const asked = agent.ask('a', { metadata, timeoutMs: 60_000 });
    await expect(within(asked, 'ask')).rejects.toMatchObject(refusal);
    expect(thrownBy(() => agent.tell('a', { metadata }))).toMatchObject(refusal);
  });
});

describe('start with a signal', () => {
  it('ends the run when the signal aborts, with what its caller said (S5)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true }] });
    const control = new AbortController();
    const handle = supervisor.start({ goal: 'a' }, { signal: control.signal });
    const turn = watch.next('turn_started');
    await within(turn, 'the first turn');

    control.abort('the user has left');
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'interrupted',
      error: { message: 'the caller’s signal was aborted: the user has left' },
    });
  });

  it('ends with words of its own where the reason of an interrupt is blank (S5)', async () => {
    const { supervisor, watch } = supervise({ default: [{ hang: true, repeat: true }] });
    const agent = await within(supervisor.spawn({ name: 'clerk' }), 'the agent');
    const asked = agent.ask('a', { timeoutMs: 60_000 });
    await watch.next('turn_started');
    const handle = supervisor.start({ goal: 'b' });

    await within(agent.interrupt({ reason: '' }), 'the agent');
    await within(handle.interrupt({ reason: ' ' }), 'the task');

    const outcomes = await within(Promise.all([asked, handle.result()]), 'the outcomes');
    expect(outcomes.map(({ error }) => error?.message)).toEqual(
      Array(2).fill('interrupted by its owner'),
    );
  });

  it('never starts what was given up before (S8)', async () => {
    const { supervisor, model } = supervise(script);
    const outcome = await within(
      supervisor.start({ goal: 'a' }, { signal: AbortSignal.abort() }).result(),
      'the outcome',
    );

    expect(outcome.status).toBe('interrupted');
    expect(model.requests()).toEqual([]);
  });
});

it('a full line is worth another try, and too deep a tree is not (V7)', async () => {
  const limits = { maxLiveAgents: 1, maxQueued: 0 };
  const { supervisor, watch } = supervise({ default: [{ hang: true }] }, { limits });
  const first = supervisor.start({ goal: 'a' });
  await within(watch.next('turn_started'), 'the first turn');

  const second = await within(supervisor.delegate({ goal: 'b' }), 'the refusal');

  expect(second).toMatchObject({ exitReason: 'rejected', error: { code: 'max_queued' } });
  expect(second.error?.retryable).toBe(true);
  await within(first.interrupt(), 'the interrupt');
});

it('hands a model object a call that can be taken apart, spread and passed on', async () => {
  const deltas: unknown[] = [];
  const answer = async ({ onDelta, signal, ...rest }: ModelCall) => {
    onDelta({ type: 'text', text: 'Hello.' });
    rest.onUsage?.({ inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 });
    deltas.push(signal.aborted, Object.keys(rest).sort());
    return {
      content: [{ type: 'text' as const, text: 'Hello.' }],
      stopReason: 'end_turn' as const,
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      isEstimated: false,
      model: 'own',
    };
  };
  const own: Model = { id: 'own', respond: (_request, call) => answer({ ...call }) };
  const { supervisor } = supervise(script);

  const outcome = await within(supervisor.delegate({ goal: 'a', model: own }), 'the outcome');

  expect(outcome).toMatchObject({ status: 'completed', text: 'Hello.' });
  expect(deltas).toEqual([false, ['onBroken', 'onOutput', 'onResponse', 'onUsage']]);
});
