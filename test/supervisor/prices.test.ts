// Checks what models cost and that a limit on cost is kept: prices given, prices known, and models refused for want of one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  createSupervisor,
  defineTool,
  type Model,
  type ModelPrice,
  type Subtask,
  type SupervisorOptions,
} from '#src/index.js';
import { type Script, type StubModelServer, scripted, startStubModelServer } from '#src/testing.js';
import { FakeAiSdkModel } from '../models/ai-sdk-fake.ts';
import { rejection, watched, within } from './support.ts';

const usage = { inputTokens: 1_000, outputTokens: 100 };
const price = { inputPerMTok: 1_000, outputPerMTok: 10_000 };
const budgets = [{ maxCostUsd: 5 }, { perTree: { maxCostUsd: 5 } }] as const;

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

/** A model object of a program's own: every answer takes 1,000 tokens of input and 100 of output. */
function own(
  extra: Partial<Model> = {},
  script: Script = { default: [{ text: 'done', usage, repeat: true }] },
): Model {
  const inner = scripted(script);
  return { id: 'mine', respond: (request, call) => inner.respond(request, call), ...extra };
}

const local = () =>
  ({ provider: 'openai', model: 'llama', baseUrl: server.url, apiKey: 'none' }) as const;

async function run(options: SupervisorOptions) {
  const { supervisor } = watched(createSupervisor(options));
  return await within(supervisor.delegate({ goal: 'Do it.' }), 'the outcome');
}

function refusalOf(options: SupervisorOptions): Error {
  try {
    createSupervisor(options);
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a refusal');
}

describe('the cost of a model (V10)', () => {
  it.each<[string, ModelPrice, number]>([
    ['by prices', price, 2],
    ['by prices that say it is free', 0, 0],
  ])('%s, by name or id, wins over its own (V10)', async (_, given, costUsd) => {
    for (const name of ['mine', 'acme:mine']) {
      const model = own({ id: 'acme:mine', price: { inputPerMTok: 7, outputPerMTok: 7 } });

      const outcome = await run({ model, prices: { [name]: given }, budget: { maxCostUsd: 50 } });

      expect(outcome).toMatchObject({ status: 'completed', usage: { own: { costUsd } } });
    }
  });

  it('is its own price where none is given, and limits it (V10)', async () => {
    const works = await run({ model: own({ price }), budget: { maxCostUsd: 50 } });
    const ends = await run({ model: own({ price }), budget: { perTree: { maxCostUsd: 1 } } });

    expect(works).toMatchObject({ status: 'completed', usage: { own: { costUsd: 2 } } });
    expect(ends).toMatchObject({ exitReason: 'budget', error: { code: 'budget_cost' } });
  });

  it('of the AI SDK is known by its id (V10)', async () => {
    const model = Object.assign(new FakeAiSdkModel('v4'), {
      provider: 'anthropic.messages',
      modelId: 'claude-sonnet-5',
    });
    model.reply({
      type: 'message',
      text: 'done',
      usage: { input_tokens: 1_000_000, output_tokens: 0 },
    });

    const outcome = await run({ model, budget: { maxCostUsd: 50 } });

    expect(outcome.status).toBe('completed');
    expect(outcome.usage.own.costUsd).toBeGreaterThan(0.5);
  });

  it('at an address of its own is given by its name (V10)', async () => {
    server.reply({
      type: 'message',
      text: 'done',
      usage: { input_tokens: 1_000, output_tokens: 100 },
    });

    const outcome = await run({
      model: local(),
      prices: { llama: price },
      budget: { maxCostUsd: 500 },
    });

    expect(outcome).toMatchObject({ status: 'completed', usage: { own: { costUsd: 2 } } });
  });

  it.each([['offline'], [scripted({ default: [{ text: 'done', usage }] })]])(
    '%s is nothing, under every limit (V10)',
    async (model) => {
      const outcome = await run({
        model,
        budget: { maxCostUsd: 0.01, perTree: { maxCostUsd: 0.01 } },
      });

      expect(outcome).toMatchObject({ status: 'completed', usage: { own: { costUsd: 0 } } });
    },
  );

  it('without a limit is null where no price is known (V10)', async () => {
    const outcome = await run({ model: own() });

    expect(outcome).toMatchObject({ status: 'completed', usage: { own: { costUsd: null } } });
  });
});

describe.each(budgets)('under %j (V10)', (budget) => {
  it.each<[string, () => SupervisorOptions, string]>([
    [
      'a provider’s',
      () => ({
        model: 'anthropic:nobody-knows',
        credentials: [{ provider: 'anthropic', keys: ['sk-price'] }],
      }),
      'nobody-knows',
    ],
    ['an endpoint’s', () => ({ model: local() }), 'llama'],
    ['an object’s', () => ({ model: own() }), 'mine'],
    ['one of the AI SDK', () => ({ model: new FakeAiSdkModel('v4') }), 'fake-1'],
    [
      'a static agent’s',
      () => ({ model: 'offline', agents: [{ name: 'a', model: local() }] }),
      'llama',
    ],
  ])(
    'createSupervisor refuses %s model without a price, and says what to give (V10)',
    (_, options, name) => {
      const error = refusalOf({ ...options(), budget });

      expect(error).toMatchObject({ code: 'model_price_missing', detail: { model: name } });
      expect(error.message).toContain(`prices: { "${name}": { inputPerMTok, outputPerMTok } }`);
      expect(error.message).toContain(`{ "${name}": 0 }`);
    },
  );

  it('what a task, a spawned agent or a session brings without a price is refused before it starts (V10)', async () => {
    const { supervisor, watch } = watched(createSupervisor({ model: 'offline', budget }));
    const refusal = { code: 'model_price_missing' };

    expect(() => supervisor.validate({ goal: 'a', model: own() })).toThrow(
      expect.objectContaining(refusal),
    );
    expect(await rejection(supervisor.delegate({ goal: 'a', model: own() }))).toMatchObject(
      refusal,
    );
    const agent = { name: 'a', model: local() };
    expect(await rejection(supervisor.delegate({ goal: 'a', agent }))).toMatchObject(refusal);
    expect(await rejection(supervisor.spawn(agent))).toMatchObject(refusal);
    const toolbox = supervisor.session('s').tools(delegateTaskTool({ model: local() }));
    const answer = await within(toolbox.call('delegate_task', { goal: 'a' }), 'the answer');

    expect(JSON.stringify(answer)).toContain('no price is known for the model custom:llama');
    expect(watch.of('task_queued')).toEqual([]);
    expect(server.requests()).toEqual([]);
  });

  it('a child with another model without a price is refused in words, and the tree goes on (V10)', async () => {
    const hand = defineTool({
      name: 'hand',
      description: 'Hands a task down.',
      input: z.object({}),
      run: (_, tool) => tool.delegate([{ goal: 'below', model: own() } as Subtask]),
    });
    const model = scripted({
      default: [{ toolCalls: [{ name: 'hand', input: {} }] }, { text: 'without it' }],
    });

    const outcome = await run({ model, tools: [hand], budget });

    expect(outcome).toMatchObject({ status: 'completed', text: 'without it' });
    expect(JSON.stringify(model.requests()[1]?.messages)).toContain(
      'no price is known for the model mine',
    );
  });
});

it.each<[unknown, string]>([
  [{ mine: 3 }, 'prices.mine'],
  [{ mine: { inputPerMTok: 1 } }, 'prices.mine'],
  [{ mine: { ...price, perCall: 1 } }, 'prices.mine'],
  [{ mine: { ...price, inputPerMTok: -1 } }, 'prices.mine'],
  ['cheap', 'prices'],
])('prices %j are refused by their field (V10)', (prices, field) => {
  const error = refusalOf({
    model: 'offline',
    prices: prices as SupervisorOptions['prices'] & object,
  });

  expect(error).toMatchObject({ code: 'invalid_options' });
  expect(error.message).toContain(field);
});

it('a price of a model object that is none is refused by its field (V10)', () => {
  const error = refusalOf({ model: own({ price: 3 as unknown as ModelPrice }) });

  expect(error).toMatchObject({ code: 'invalid_options' });
  expect(error.message).toContain('model.price');
});
