// Checks lists of models: which failures go on to the next one, what stays with it, what it costs, and that it is seen.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSupervisor,
  defineTool,
  type Model,
  type ModelRef,
  type SupervisorOptions,
} from '#src/index.js';
import { ManualClock, type StubModelServer, scripted, startStubModelServer } from '#src/testing.js';
import { rejection, watched, within } from './support.ts';

const apiKey = 'sk-test-fallbacks';
const quiet = { logger: false, logDirectory: false, random: () => 0 } as const;
const once = { attempts: 1 } as const;
let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

const remote = (model: string) => ({ model, baseUrl: `${server.url}/anthropic`, apiKey });

/** A model of the program that fails with an HTTP status. */
function refusing(id: string, status: number): Model & { calls: number } {
  return {
    id,
    price: 0,
    calls: 0,
    async respond() {
      this.calls += 1;
      throw Object.assign(new Error(`${id} refuses`), { status });
    },
  };
}

function arrange(model: SupervisorOptions['model'], options: Partial<SupervisorOptions> = {}) {
  return watched(createSupervisor({ ...quiet, model, modelRetry: once, ...options }));
}

describe('a list of models', () => {
  it.each([429, 500, 503, 529, 401, 403, 404, 408])(
    'goes on with the next one after %i, in the gateway’s thread',
    async (status) => {
      server.reply({ type: 'error', status, message: 'no' }, { type: 'message', text: 'done' });
      const { supervisor, watch } = arrange([remote('first'), remote('second')]);

      const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

      expect(outcome).toMatchObject({ status: 'completed', text: 'done', model: 'second' });
      expect(server.requests().map(({ body }) => body)).toMatchObject([
        { model: 'first' },
        { model: 'second' },
      ]);
      expect(watch.of('model_fallback')).toMatchObject([
        {
          agentId: outcome.agent.id,
          taskId: outcome.taskId,
          from: 'custom:first',
          to: 'custom:second',
          failure: { detail: { status } },
        },
      ]);
      await supervisor.close();
    },
  );

  it('does not go on when the request is what is wrong: a 400 is final', async () => {
    server.reply({ type: 'error', status: 400, message: 'no such field' });
    const { supervisor, watch } = arrange([remote('first'), remote('second')]);

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.error?.code).toBe('model_bad_request');
    expect(server.requests()).toHaveLength(1);
    expect(watch.of('model_fallback')).toEqual([]);
    await supervisor.close();
  });

  it('fails with the last one’s failure when all of them fail', async () => {
    const models = [refusing('a', 500), refusing('b', 503), refusing('c', 401)];
    const { supervisor, watch } = arrange(models);

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.error).toMatchObject({ code: 'model_auth', message: '401 c refuses' });
    expect(watch.of('model_fallback').map(({ from, to }) => [from, to])).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
    await supervisor.close();
  });

  it('tries each model as often as the policy says before it goes on', async () => {
    const clock = new ManualClock();
    const first = refusing('first', 503);
    const { supervisor, watch } = arrange([first, 'offline'], { clock, modelRetry: {} });

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(1_499);
    expect(watch.of('model_fallback')).toEqual([]);
    await clock.advance(1);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      status: 'completed',
      model: 'offline',
    });
    expect(first.calls).toBe(3);
    await supervisor.close();
  });

  it('stays with the model that answered for the rest of the run, and begins anew with the next run', async () => {
    const first = refusing('first', 503);
    const call = { name: 'look', input: {} };
    const second = scripted({
      default: [{ toolCalls: [call] }, { toolCalls: [call] }, { text: 'seen' }],
    });
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      run: () => 'a wall',
    });
    const { supervisor } = arrange([first, second], { tools: [look] });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    expect(outcome).toMatchObject({
      status: 'completed',
      text: 'seen',
      usage: { own: { modelCalls: 3 } },
    });
    expect(first.calls).toBe(1);

    await within(supervisor.delegate({ goal: 'b' }), 'the second outcome');
    expect(first.calls).toBe(2);
    await supervisor.close();
  });

  it('may mix providers with objects of the program, either first', async () => {
    server.reply({ type: 'message', text: 'from the provider' });
    server.reply({ type: 'error', status: 503, message: 'down' });
    const own: Model = {
      id: 'own',
      async respond() {
        return { content: [{ type: 'text', text: 'from the object' }] };
      },
    };
    const { supervisor } = arrange([refusing('bad', 500), remote('remote')]);

    const answered = await within(supervisor.delegate({ goal: 'a' }), 'the provider');
    const other = await within(
      supervisor.delegate({ goal: 'b', model: [remote('remote'), own] }),
      'the object',
    );

    expect([answered.text, other.text]).toEqual(['from the provider', 'from the object']);
    await supervisor.close();
  });

  it.each([
    ['anthropic', 'v1'],
    ['v1', 'anthropic'],
  ])(
    'goes on in the middle of a run from /%s to /%s, without the thoughts of the first',
    async (from, to) => {
      const toolCalls = [{ id: 'c1', name: 'look', input: {} }];
      server.reply({ type: 'message', thinking: 'Hm.', text: 'I look.', toolCalls });
      server.reply({ type: 'error', status: 503, message: 'down' });
      server.reply({ type: 'message', text: 'seen' });
      const look = defineTool({
        name: 'look',
        description: 'Looks.',
        input: z.object({}),
        run: () => 'a wall',
      });
      const at = (model: string, path: string) => ({
        model,
        baseUrl: `${server.url}/${path}`,
        apiKey,
      });
      const { supervisor } = arrange([at('first', from), at('second', to)], { tools: [look] });

      const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

      expect(outcome).toMatchObject({ status: 'completed', text: 'seen', model: 'second' });
      const last = JSON.stringify(server.requests().at(-1)?.body);
      expect([last.includes('I look.'), last.includes('a wall'), last.includes('Hm.')]).toEqual([
        true,
        true,
        false,
      ]);
      await supervisor.close();
    },
  );

  it('does not wait for a provider that is down while another model can be asked', async () => {
    // Time stands still: whatever waited would never end.
    const clock = new ManualClock();
    const modelRetry = { attempts: 1, maxOutageMs: 600_000 };
    const first = refusing('first', 503);
    const { supervisor } = arrange([first, 'offline'], { clock, modelRetry });

    const one = await within(supervisor.delegate({ goal: 'a' }), 'the first outcome');
    const two = await within(supervisor.delegate({ goal: 'b' }), 'the second outcome');

    expect([one, two]).toMatchObject([{ model: 'offline' }, { model: 'offline' }]);
    expect(first.calls).toBe(1);
    await supervisor.close();
  });

  it('does not wait a minute for a key that is limited, but uses the other key first', async () => {
    const clock = new ManualClock();
    const limited = { type: 'error', status: 429, message: 'slow', retryAfterSeconds: 60 } as const;
    server.reply(limited, limited, { type: 'message', text: 'done' });
    const baseUrl = `${server.url}/anthropic`;
    const credentials = [{ provider: 'anthropic', baseUrl, keys: ['sk-one', 'sk-two'] }] as const;
    const models: ModelRef = [{ provider: 'anthropic', model: 'first', baseUrl }, remote('second')];
    const { supervisor } = arrange(models, { clock, modelRetry: {}, credentials });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome).toMatchObject({ text: 'done', model: 'second' });
    expect(server.requests().map(({ body }) => (body as { model: string }).model)).toEqual([
      'first',
      'first',
      'second',
    ]);
    await supervisor.close();
  });

  it('costs what the model costs that was asked, and a budget in dollars needs the price of each', async () => {
    server.reply(
      { type: 'error', status: 503, message: 'down' },
      { type: 'message', text: 'done' },
    );
    const prices = {
      first: { inputPerMTok: 1_000, outputPerMTok: 1_000 },
      second: { inputPerMTok: 10_000, outputPerMTok: 100_000 },
    };
    const budget = { perTree: { maxCostUsd: 5_000 } };
    const { supervisor } = arrange([remote('first'), remote('second')], { prices, budget });

    const { usage } = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    expect(usage.own.costUsd).toBeCloseTo(0.1 + 0.5);

    const unpriced = { goal: 'b', model: [remote('first'), remote('third')] };
    expect(await rejection(supervisor.delegate(unpriced))).toMatchObject({
      code: 'model_price_missing',
      detail: { model: 'third' },
    });
    await supervisor.close();
  });

  it('does not go on after a part of the answer was streamed, nor after an interrupt', async () => {
    const broken: Model = {
      id: 'broken',
      async respond(_request, call) {
        call.onDelta({ type: 'text', text: 'half an ans' });
        throw Object.assign(new Error('gone'), { status: 503 });
      },
    };
    const second = scripted({ default: [{ text: 'done' }] });
    const { supervisor, watch } = arrange([broken, second]);

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    expect(outcome.status).toBe('failed');

    const waiting = scripted({ default: [{ hang: true }] });
    const handle = supervisor.start({ goal: 'b', model: [waiting, second] });
    await watch.next('turn_started');
    await handle.interrupt();
    expect(await within(handle.result(), 'the end')).toMatchObject({ status: 'interrupted' });
    expect(watch.of('model_fallback')).toEqual([]);
    await supervisor.close();
  });

  it('reports the change once for people, and no key of it', async () => {
    server.reply({ type: 'error', status: 401, message: `no ${apiKey}` });
    server.reply({ type: 'message', text: 'one' });
    server.reply({ type: 'error', status: 401, message: `no ${apiKey}` });
    server.reply({ type: 'message', text: 'two' });
    const { supervisor, watch } = arrange([remote('first'), remote('second')]);

    await within(supervisor.delegate({ goal: 'a' }), 'the first outcome');
    await within(supervisor.delegate({ goal: 'b' }), 'the second outcome');

    const logs = watch.of('log').map(({ message }) => message);
    expect(logs).toEqual([
      expect.stringMatching(/^custom:first failed, custom:second is asked instead: .*401/),
    ]);
    expect(watch.of('model_fallback')).toHaveLength(2);
    expect(JSON.stringify(watch.events)).not.toContain(apiKey);
    await supervisor.close();
  });
});
