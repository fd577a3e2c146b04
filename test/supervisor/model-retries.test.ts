// Checks that calls of every kind of model are tried again alike: objects of the program, models of the AI SDK, providers.
import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type Model, type SupervisorOptions } from '#src/index.js';
import { ManualClock, type StubModelServer, startStubModelServer } from '#src/testing.js';
import { FakeAiSdkModel } from '../models/ai-sdk-fake.ts';
import { inShort, rejection, watched, within } from './support.ts';

let server: StubModelServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

/** A model that fails with each of these in turn, then answers. */
function failing(...errors: readonly unknown[]): Model & { calls: number } {
  return {
    id: 'own',
    price: 0,
    calls: 0,
    async respond() {
      const error = errors[this.calls];
      this.calls += 1;
      if (error !== undefined) throw error;
      return { content: [{ type: 'text', text: 'done' }] };
    },
  };
}

const refusing = (status: number, more: object = {}) =>
  Object.assign(new Error('refused'), { status, ...more });

/** A supervisor in manual time that moves on by itself to whatever is due next. */
function arrange(model: SupervisorOptions['model'], options: Partial<SupervisorOptions> = {}) {
  const clock = new ManualClock();
  const base = { model, clock, logDirectory: false, logger: false, random: () => 0 } as const;
  return { clock, ...watched(createSupervisor({ ...base, ...options })) };
}

describe('a model object', () => {
  it.each([
    [429, 1_000],
    [503, 500],
    [529, 500],
    [408, 500],
  ])('that answers %i once is asked again, after %i ms', async (status, delayMs) => {
    const model = failing(refusing(status));
    const { clock, supervisor, watch } = arrange(model);

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(delayMs - 1);
    expect(model.calls).toBe(1);
    await clock.advance(1);

    const outcome = await within(handle.result(), 'the outcome');
    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(model.calls).toBe(2);
  });

  it('is asked three times in all, then the run fails with what it said last', async () => {
    const model = failing(refusing(500), refusing(502), refusing(503), refusing(503));
    const { clock, supervisor, watch } = arrange(model);

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(10_000);

    const outcome = await within(handle.result(), 'the outcome');
    expect(outcome).toMatchObject({ exitReason: 'error', error: { code: 'model_overloaded' } });
    expect(model.calls).toBe(3);
  });

  it('waits as long as its error asks for', async () => {
    const model = failing(refusing(429, { headers: { 'retry-after': '20' } }));
    const { clock, supervisor, watch } = arrange(model);

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(19_999);
    expect(model.calls).toBe(1);
    await clock.advance(1);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'completed' });
  });

  it('is not asked again for a mistake, nor when it has streamed a part, nor when it retries itself', async () => {
    const mistaken = failing(new TypeError('x is not a function'));
    const streaming: Model = {
      id: 'streaming',
      price: 0,
      async respond(_, call) {
        call.onDelta({ type: 'text', text: 'half' });
        throw refusing(503);
      },
    };
    const alone: Model = Object.assign(failing(refusing(503)), { retry: false as const });
    const { supervisor } = arrange(mistaken);

    const outcomes = await within(
      supervisor.delegate([
        { goal: 'a' },
        { goal: 'b', model: streaming },
        { goal: 'c', model: alone },
      ]),
      'the outcomes',
    );

    expect(outcomes.map(({ error }) => error?.code)).toEqual([
      'model_failed',
      'model_overloaded',
      'model_failed',
    ]);
    expect(outcomes[0]?.error?.detail).toHaveProperty('stack');
  });

  it('whose connection is refused is asked again as the options say', async () => {
    const model = failing(
      ...Array.from(
        { length: 4 },
        () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }),
      ),
    );
    const modelRetry = { attempts: 5, maxDelayMs: 600 };
    const { clock, supervisor, watch } = arrange(model, { modelRetry });

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(500 + 3 * 600);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'completed' });
    expect(model.calls).toBe(5);
  });

  it('is asked once when retries are off, also after a 429', async () => {
    const model = failing(refusing(429));
    const { supervisor } = arrange(model, { modelRetry: { attempts: 1 } });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.error).toMatchObject({ code: 'model_rate_limited', retryable: true });
    expect(model.calls).toBe(1);
  });

  it('that waits for its next try is left at once by an interrupt', async () => {
    const model = failing(refusing(503));
    const { clock, supervisor, watch } = arrange(model);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(0);

    await within(handle.interrupt(), 'the receipts');

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'interrupted' });
    expect(model.calls).toBe(1);
  });
});

it('a model of the AI SDK that is overloaded once is asked again', async () => {
  const model = new FakeAiSdkModel('v3');
  model.reply({ type: 'error', status: 503 }, { type: 'message', text: 'done' });
  const { clock, supervisor, watch } = arrange(model, { prices: { 'fake:fake-1': 0 } });

  const handle = supervisor.start({ goal: 'a' });
  await watch.next('turn_started');
  await clock.advance(500);

  expect(await within(handle.result(), 'the outcome')).toMatchObject({ text: 'done' });
  expect(model.requests()).toHaveLength(2);
});

it('a provider is asked as often as the options say, and no SDK asks on top of that', async () => {
  server = await startStubModelServer();
  const error = { type: 'error', status: 500 } as const;
  server.reply(error, error, error, error, error, error);
  const model = { provider: 'anthropic', model: 'm', baseUrl: server.url, apiKey: 'k' } as const;
  const { supervisor } = watched(
    createSupervisor({ model, logger: false, modelRetry: { attempts: 2, maxDelayMs: 1 } }),
  );

  const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

  expect(outcome).toMatchObject({ error: { code: 'model_failed', retryable: true } });
  expect(server.requests()).toHaveLength(2);
});

describe('an empty answer', () => {
  /** A model whose answers are these texts. */
  const saying = (...texts: readonly string[]): Model & { calls: number } => ({
    id: 'own',
    price: 0,
    calls: 0,
    async respond() {
      const text = texts[this.calls] ?? '';
      this.calls += 1;
      const usage = { inputTokens: 10, outputTokens: 1 };
      return { content: text === '' ? [] : [{ type: 'text', text }], usage };
    },
  });

  it('is asked for once more, and both are counted', async () => {
    const model = saying('', 'done');
    const { supervisor } = arrange(model);

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'done', turns: 1 });
    expect(outcome.usage.own).toMatchObject({ inputTokens: 20, outputTokens: 2 });
  });

  it.each([
    [{}, 2],
    [{ attempts: 1 }, 1],
  ])('that comes again fails the run, with %j after %i calls', async (modelRetry, calls) => {
    const model = saying('', '', 'too late');
    const { supervisor } = arrange(model, { modelRetry });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.error?.code).toBe('model_empty_answer');
    expect(model.calls).toBe(calls);
  });
});

it.each([
  [{ attempts: 0 }, 'modelRetry.attempts'],
  [{ attempts: 1.5 }, 'modelRetry.attempts'],
  [{ maxDelayMs: -1 }, 'modelRetry.maxDelayMs'],
  [{ retries: 3 }, 'modelRetry'],
])('createSupervisor refuses modelRetry %j', async (modelRetry, field) => {
  const make = async () => createSupervisor({ model: 'offline', modelRetry: modelRetry as never });

  const error = await rejection(make());

  expect(error).toMatchObject({ code: 'invalid_options', message: expect.stringContaining(field) });
});
