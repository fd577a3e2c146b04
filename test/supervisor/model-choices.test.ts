// Checks model choices and settings from a task to the wire, through the gateway's thread and the real SDKs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSupervisor, type ModelRef, type SupervisorOptions, type Task } from '#src/index.js';
import { type StubModelServer, scripted, startStubModelServer } from '#src/testing.js';
import { FakeAiSdkModel } from '../models/ai-sdk-fake.ts';
import { rejection, supervise, watched, within } from './support.ts';

const apiKey = 'sk-test-model-choices';
let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

async function run(options: Partial<SupervisorOptions>, task: Partial<Task> = {}) {
  const { supervisor, watch } = watched(createSupervisor({ model: 'offline', ...options }));
  const outcome = await within(supervisor.delegate({ goal: 'Do it.', ...task }), 'the outcome');
  await within(supervisor.close(), 'close');
  return { outcome, events: watch.events };
}

describe('an endpoint', () => {
  it.each([
    ['chat_completions', '/v1/chat/completions'],
    ['codex_responses', '/v1/responses'],
    ['anthropic_messages', '/v1/messages'],
  ] as const)('is asked by %s, and its key appears nowhere (C40)', async (apiMode, path) => {
    server.reply({ type: 'message', text: 'done' });
    const model = { model: 'some-model', baseUrl: `${server.url}/v1`, apiKey, apiMode };

    const { outcome, events } = await run({ model });

    expect(outcome).toMatchObject({
      status: 'completed',
      text: 'done',
      model: 'some-model',
      usage: { own: { inputTokens: 10, outputTokens: 5 } },
    });
    expect(server.requests().map((request) => request.path)).toEqual([path]);
    expect(JSON.stringify([outcome, events, server.requests()])).not.toContain(apiKey);
  });

  it('that ends in /anthropic is asked by its messages API (C39)', async () => {
    server.reply({ type: 'message', text: 'done' });

    const model = { model: 'm', baseUrl: `${server.url}/anthropic`, apiKey };

    expect((await run({ model })).outcome.status).toBe('completed');
    expect(server.requests()[0]?.path).toBe('/anthropic/v1/messages');
  });

  it('of a task wins over the supervisor\u2019s, what it leaves out does not (C37)', async () => {
    server.reply({ type: 'message', text: 'done' });
    const model = { model: 'main', baseUrl: `${server.url}/v1`, apiKey };

    const { outcome } = await run({ model }, { model: { model: 'other' } });

    expect(outcome.model).toBe('other');
    expect(server.requests()[0]?.body).toMatchObject({ model: 'other' });
  });

  it.each<[object, string, string]>([
    [{ model: 'm', api_key: apiKey }, 'invalid_options', 'api_key'],
    [{ model: 'm', apiKey: [apiKey] }, 'invalid_options', 'apiKey'],
    [{ model: 'm', apiKey, apiMode: 'grpc' }, 'invalid_options', 'apiMode is "grpc"'],
    [{ model: 'm', apiKey, provider: 'acme' }, 'invalid_options', 'provider is "acme"'],
    [{ model: 'm', apiKey, baseUrl: 'nowhere' }, 'invalid_options', '"nowhere"'],
    [{ model: '', apiKey, provider: 'openai' }, 'invalid_options', 'model'],
    [{ provider: 'openai', apiKey }, 'invalid_options', 'model must be the name'],
  ])('refuses %j by its field, without the key', (model, code, seen) => {
    let error: unknown;
    try {
      createSupervisor({ model: model as ModelRef });
    } catch (thrown) {
      error = thrown;
    }

    expect(error).toMatchObject({ code, message: expect.stringContaining(seen) });
    expect(String(error) + JSON.stringify(error)).not.toContain(apiKey);
  });

  it('keeps its key out of what refuses a whole definition', async () => {
    const { supervisor } = supervise({ default: [] });
    const agent = { model: { model: 'm', apiKey }, name: 'no good name' };

    const error = await rejection(supervisor.delegate({ goal: 'a', agent }));

    expect(error).toMatchObject({ code: 'invalid_task' });
    expect(String(error) + JSON.stringify(error)).not.toContain(apiKey);
  });
});

describe('a model of the AI SDK', () => {
  it('runs a task on the host as any other model does (B32)', async () => {
    const fake = new FakeAiSdkModel('v4');
    fake.reply({ type: 'message', text: ['do', 'ne'] });

    const { outcome } = await run({ model: fake }, { temperature: 0.5 });

    expect(outcome).toMatchObject({ status: 'completed', text: 'done', model: 'fake-1' });
    expect(fake.requests()[0]?.body).toMatchObject({ temperature: 0.5 });
  });
});

describe('settings of a run', () => {
  it('reach the model, a task\u2019s before its definition\u2019s (B4)', async () => {
    const model = scripted({ default: [{ text: 'done' }] });
    const agent = { name: 'a', temperature: 0.1, topP: 0.9, effort: 'low' as const };

    await run({ model, agents: [agent] }, { agent: 'a', temperature: 0.7, maxOutputTokens: 8_000 });

    expect(model.requests()[0]).toMatchObject({
      maxOutputTokens: 8_000,
      settings: { temperature: 0.7, topP: 0.9, effort: 'low' },
    });
  });

  it('and E7 reach the wire of an API that takes them (B4)', async () => {
    server.reply({ type: 'message', text: 'done' });
    const model = { model: 'm', baseUrl: `${server.url}/v1`, apiKey };

    await run({ model }, { temperature: 0, topP: 1, effort: 'high', maxOutputTokens: 8_000 });

    expect(server.requests()[0]?.body).toMatchObject({
      temperature: 0,
      top_p: 1,
      reasoning_effort: 'high',
      max_tokens: 8_000,
    });
  });

  it.each([{ temperature: 0.5 }, { topP: 0.5 }])(
    '%j is refused before anything starts by an API that refuses it (B4)',
    async (setting) => {
      const [name = ''] = Object.keys(setting);
      const model = { model: 'm', baseUrl: `${server.url}/anthropic`, apiKey };
      const { supervisor, watch } = watched(createSupervisor({ model }));

      const error = await rejection(supervisor.delegate({ goal: 'a', ...setting }));

      expect(error).toMatchObject({
        code: 'model_setting_refused',
        message: expect.stringContaining(`${name} is 0.5`),
      });
      expect(watch.of('task_queued')).toEqual([]);
      expect(server.requests()).toEqual([]);
    },
  );

  it.each([{ temperature: 3 }, { topP: 0 }, { effort: 'huge' }])(
    '%j is no setting (B4)',
    async (setting) => {
      const { supervisor } = supervise({ default: [] });

      const error = await rejection(supervisor.delegate({ goal: 'a', ...(setting as object) }));

      expect(error).toMatchObject({ code: 'invalid_task' });
    },
  );
});
