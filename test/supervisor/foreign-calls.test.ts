// Checks calls as models really write them, over every provider: ids that come again or are blank, arguments encoded twice.
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  createSupervisor,
  defineTool,
  type Message,
  type Model,
  type ModelResponse,
  type SupervisorOptions,
} from '#src/index.js';
import { type StubModelServer, type StubReply, startStubModelServer } from '#src/testing.js';
import { FakeAiSdkModel } from '../models/ai-sdk-fake.ts';
import { supervise, toolFixture, watched, within } from './support.ts';

const servers = new Set<StubModelServer>();
afterEach(async () => {
  for (const server of servers) await server.close();
  servers.clear();
});

type Reply = Extract<StubReply, { type: 'message' }>;
type Arrange = (replies: readonly Reply[]) => Promise<SupervisorOptions['model']>;

function stub(apiMode: 'anthropic_messages' | 'chat_completions' | 'codex_responses'): Arrange {
  return async (replies) => {
    const server = await startStubModelServer(replies);
    servers.add(server);
    const baseUrl = apiMode === 'anthropic_messages' ? server.url : `${server.url}/v1`;
    return { model: 'm', apiMode, baseUrl, apiKey: 'any' };
  };
}

/** A model object of the program that answers so. */
const hostModel: Arrange = async (replies) => {
  const left = [...replies];
  const respond = async (): Promise<ModelResponse> => {
    const { text = '', toolCalls = [] } = left.shift() ?? { type: 'message' };
    const calls = toolCalls.map(({ id, name, input, rawInput }) => {
      const given: unknown = rawInput === undefined ? input : JSON.parse(rawInput);
      return { type: 'tool_use', id, name, input: given } as const;
    });
    return {
      content: [...(text === '' ? [] : [{ type: 'text', text: String(text) } as const]), ...calls],
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      isEstimated: true,
      model: 'host-1',
    };
  };
  return { id: 'host', respond } satisfies Model;
};

const aiSdk: Arrange = async (replies) => {
  const model = new FakeAiSdkModel('v3');
  model.reply(...replies);
  return model;
};

const providers: readonly (readonly [string, Arrange])[] = [
  ['anthropic', stub('anthropic_messages')],
  ['openai chat', stub('chat_completions')],
  ['openai responses', stub('codex_responses')],
  ['ai-sdk', aiSdk],
  ['a model object', hostModel],
];

const says = (id: string, text: string) => ({ id, name: 'echo', input: { text } });
const done: Reply = { type: 'message', text: 'done' };

/** Every call of a history with what it was answered; fails where an id is none, or not its own. */
function answersIn(history: readonly Message[]): readonly (readonly [unknown, unknown])[] {
  const blocks = history.flatMap(({ content }) => [...content]);
  const calls = blocks.filter((block) => block.type === 'tool_use');
  const results = blocks.filter((block) => block.type === 'tool_result');
  const ids = calls.map(({ id }) => id);
  expect(
    ids.every((id) => id.trim() !== '' && id.length <= 64),
    ids.join(),
  ).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
  return calls.map(({ input }, at) => [input, results[at]?.content]);
}

describe('calls of a model', () => {
  /** The ends of tasks, one for each provider, whose model gives these answers; one thread serves them all. */
  async function ofEachProvider(replies: readonly Reply[]) {
    const models = await Promise.all(providers.map(([, arrange]) => arrange(replies)));
    const { supervisor, watch } = watched(
      createSupervisor({
        model: 'offline',
        tools: [toolFixture('plain')],
        limits: { maxLiveAgents: 1 },
        logDirectory: false,
      }),
    );
    const tasks = models.map((model) => ({ goal: 'Talk.', model }));
    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');
    expect(outcomes).toHaveLength(providers.length);
    return outcomes.map((outcome, at) => {
      const started = watch.of('tool_started').filter(({ taskId }) => taskId === outcome.taskId);
      return {
        what: providers[at]?.[0],
        outcome,
        callIds: started.map(({ callId }) => callId),
        history: supervisor.transcript(outcome.taskId),
      };
    });
  }

  it('have ids of their own, whatever a provider names them (M10)', async () => {
    const long = 'x'.repeat(64);
    const ends = await ofEachProvider([
      { type: 'message', toolCalls: [says('call_1', 'a'), says('call_1', 'b'), says('', 'c')] },
      { type: 'message', toolCalls: [says('call_1', 'd'), says('', 'e'), says(long, 'f')] },
      { type: 'message', toolCalls: [says('call_1_2', 'g'), says(' ', 'h'), says(long, 'i')] },
      done,
    ]);

    for (const { what, outcome, callIds, history } of ends) {
      expect(outcome, what).toMatchObject({ status: 'completed', text: 'done' });
      const texts = [...'abcdefghi'];
      expect(answersIn(history), what).toEqual(texts.map((text) => [{ text }, text]));
      expect(new Set(callIds).size, what).toBe(texts.length);
      expect(callIds[0], what).toBe('call_1');
    }
  });

  it('have arguments that a provider encoded twice (B32)', async () => {
    const twice = JSON.stringify(JSON.stringify({ text: 'hi' }));
    const ends = await ofEachProvider([
      { type: 'message', toolCalls: [{ id: 'c', name: 'echo', input: null, rawInput: twice }] },
      done,
    ]);

    for (const { what, outcome, history } of ends) {
      expect(outcome, what).toMatchObject({ status: 'completed', text: 'done' });
      expect(answersIn(history), what).toEqual([[{ text: 'hi' }, 'hi']]);
    }
  });

  it('have ids of their own from run to run, with a script and with idempotency keys (M10)', async () => {
    const keys: string[] = [];
    const noteTool = defineTool({
      name: 'note',
      description: 'Notes.',
      input: z.object({}),
      run: (_, { idempotencyKey }) => keys.push(idempotencyKey),
    });
    const calls = { toolCalls: [{ id: 'same', name: 'note', input: {} }] };
    const { supervisor } = supervise(
      { default: [calls, calls, { text: 'ok' }] },
      { tools: [noteTool] },
    );
    const agent = await supervisor.spawn({ name: 'clerk' });

    await agent.ask('one', { timeoutMs: 20_000 });
    await agent.ask('two', { timeoutMs: 20_000 });

    expect(answersIn(agent.history())).toHaveLength(4);
    expect(new Set(keys).size).toBe(4);
  });

  it('have fields that were encoded twice, where the schema wants no text (B32)', async () => {
    const seen: unknown[] = [];
    const rank = defineTool({
      name: 'rank',
      description: 'Ranks.',
      input: z.object({
        names: z.array(z.string()),
        by: z.object({ key: z.string() }).optional(),
        note: z.string().optional(),
      }),
      run: (input) => seen.push(input),
    });
    const call = (input: unknown) => ({ toolCalls: [{ name: 'rank', input }] });
    const { supervisor, model } = supervise(
      {
        default: [
          call({ names: '["a", "b"]', by: '{"key":"k"}', note: '["stays"]' }),
          call({ names: '[1]' }),
          call({ names: 'a, b' }),
          { text: 'ok' },
        ],
      },
      { tools: [rank] },
    );

    await within(supervisor.delegate({ goal: 'Rank.' }), 'the outcome');

    expect(seen).toEqual([{ names: ['a', 'b'], by: { key: 'k' }, note: '["stays"]' }]);
    const refused = answersIn(model.requests().at(-1)?.messages ?? []).slice(1);
    for (const [, text] of refused) expect(text).toContain('- names: ');
  });

  it('in a toolbox take the JSON text that a loop has from its model (B32)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'found' }] });
    const tools = supervisor.session('chat').tools(delegateTaskTool());
    const tasks = [JSON.stringify({ goal: 'Look.' })];

    const once = await tools.call('delegate_task', JSON.stringify({ tasks }));
    const wrong = await tools.call('delegate_task', '{"goal"');

    expect(once).toMatchObject({ isError: false, content: expect.stringContaining('found') });
    expect(wrong).toMatchObject({ isError: true, failure: { code: 'tool_arguments_invalid' } });
  });
});
