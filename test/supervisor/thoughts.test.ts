// Checks replies in which a model has only thought: they are asked for their answer, once, over every provider.
import { afterEach, describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor } from '#src/index.js';
import { type StubModelServer, type StubReply, startStubModelServer } from '#src/testing.js';
import { FakeAiSdkModel } from '../models/ai-sdk-fake.ts';
import { inShort, supervise, watched, within } from './support.ts';

const servers = new Set<StubModelServer>();
afterEach(async () => {
  for (const server of servers) await server.close();
  servers.clear();
});

const asked = /only your thoughts.*Give your answer now/;
const thinks: StubReply = { type: 'message', thinking: 'It is 42.' };
const thought = { thinking: 'It is 42.' };
const empty = ['error', 'model_empty_answer', ''];

describe('a reply of thoughts alone', () => {
  it.each([
    ['anthropic_messages', ''],
    ['chat_completions', '/v1'],
    ['codex_responses', '/v1'],
  ] as const)('is asked for its answer over %s, and not sent back (X11)', async (apiMode, path) => {
    const server = await startStubModelServer([thinks, { type: 'message', text: '42' }]);
    servers.add(server);
    const model = { model: 'm', apiMode, baseUrl: server.url + path, apiKey: 'any' };
    const { supervisor } = watched(createSupervisor({ model, logDirectory: false }));

    const outcome = await within(supervisor.delegate({ goal: 'What?' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, '42']);
    const [, second] = server.requests();
    expect(JSON.stringify(second?.body)).toMatch(asked);
    // Providers refuse a message that holds thoughts and nothing else.
    expect(JSON.stringify(second?.body)).not.toContain('It is 42.');
  });

  it('is asked for its answer of a model of the AI SDK (X11)', async () => {
    const model = new FakeAiSdkModel('v3');
    model.reply(thinks, { type: 'message', text: '42' });
    const { supervisor } = watched(createSupervisor({ model, logDirectory: false }));

    const outcome = await within(supervisor.delegate({ goal: 'What?' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, '42']);
  });

  it('fails when the answer is thoughts again, or no turn is left for it (X11)', async () => {
    const { supervisor, model } = supervise({ default: [{ ...thought, repeat: true }] });

    const twice = await within(supervisor.delegate({ goal: 'What?' }), 'the outcome');
    const last = await within(supervisor.delegate({ goal: 'What?', maxTurns: 1 }), 'the outcome');

    expect(inShort(twice)).toEqual(empty);
    expect(inShort(last)).toEqual(empty);
    expect(model.requests()).toHaveLength(3);
  });

  it('is not asked where nothing was thought (X11)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: '' }] });

    expect(inShort(await within(supervisor.delegate({ goal: 'What?' }), 'the outcome'))).toEqual(
      empty,
    );
    expect(model.requests()).toHaveLength(1);
  });

  it('of a child gives its summary, in a toolbox and in the background (X11)', async () => {
    const { supervisor } = supervise({ default: [thought, { text: '42' }] });
    const session = supervisor.session('chat');
    const tools = session.tools(delegateTaskTool());

    const result = await within(tools.call('delegate_task', { goal: 'What?' }), 'the result');
    const agent = session.tools(agentTools());
    const input = { description: 'asks', prompt: 'What?', run_in_background: true };
    const started = await agent.call('Agent', input);
    const [, task_id] = /^Task (\S+) runs/.exec(String(started.content)) ?? [];
    const output = await within(agent.call('TaskOutput', { task_id }), 'the output');

    expect(result).toMatchObject({ isError: false, content: expect.stringContaining('"42"') });
    expect(output).toMatchObject({ isError: false, content: expect.stringContaining('42') });
  });

  it('of a child in the tree gives its summary, B20 what is owed is asked for instead (X11)', async () => {
    const { supervisor, model } = supervise(
      {
        agents: {
          boss: [{ toolCalls: [{ name: 'delegate_task', input: { goal: 'x' } }] }, { text: 'ok' }],
          late: [
            thought,
            { toolCalls: [{ name: 'emit_value', input: { name: 'sum', value: '42' } }] },
          ],
        },
        default: [thought, { text: 'from below' }],
      },
      { agents: [{ name: 'boss' }, { name: 'late' }], tools: [delegateTaskTool()] },
    );

    await within(supervisor.delegate({ goal: 'a', agent: 'boss' }), 'the outcome');
    const ofBoss = { goal: 'b', agent: 'late', outputs: { sum: 'A number.' } };
    const { emitted } = await within(supervisor.delegate(ofBoss), 'the outcome');

    const of = (name: string) =>
      JSON.stringify(model.requests().findLast(({ agent }) => agent.name === name)?.messages);
    expect(of('boss')).toContain('from below');
    expect(emitted).toEqual({ sum: '42' });
    expect(of('late')).toContain('for what is still missing: sum');
    expect(of('late')).not.toMatch(asked);
  });
});
