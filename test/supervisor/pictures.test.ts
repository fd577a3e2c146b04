// Checks pictures both ways: with a task to its agent, and with an agent's answer to whom it answers.
import { describe, expect, it } from 'vitest';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { subagentTools } from '#src/dialects/subagent-manager/index.js';
import {
  defineAgent,
  type Message,
  type Model,
  type SupervisorOptions,
  type Task,
} from '#src/index.js';
import { imageBlock } from '#src/protocol/image.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { calls, rejection, supervise, toolFixture, within } from './support.ts';

const photo = imageBlock('image/jpeg', 'cGhvdG8=');
const drawing = imageBlock('image/png', 'ZHJhd24=');
const caption = { type: 'text', text: 'from the yard' } as const;

/** A model that draws, with a text or without. */
function painterSaying(text: string): Model {
  return {
    id: 'painter',
    price: 0,
    respond: async () => ({
      content: [...(text === '' ? [] : [{ type: 'text', text } as const]), drawing],
    }),
  };
}

const draws = painterSaying('Here it is.');
const painter = defineAgent({ name: 'painter', description: 'Draws.', model: draws });

const lastOf = (messages: readonly Message[] | undefined) => messages?.at(-1)?.content;

describe('the content of a task', () => {
  it('follows its goal, in its order', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'a dog' }] });

    await within(
      supervisor.delegate({ goal: 'What is this?', context: 'A pet.', content: [photo, caption] }),
      'the outcome',
    );

    expect(lastOf(model.requests()[0]?.messages)).toEqual([
      { type: 'text', text: 'What is this?\n\n# Context\n\nA pet.' },
      photo,
      caption,
    ]);
  });

  it('is what it was when the task was given', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'ok' }] });
    const content = [photo];

    const outcome = supervisor.delegate({ goal: 'a', content });
    content.length = 0;
    await within(outcome, 'the outcome');

    expect(lastOf(model.requests()[0]?.messages)).toHaveLength(2);
  });

  it('goes with a question to a persistent agent, which remembers it', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'a dog' }, { text: 'brown' }] });
    const agent = await supervisor.spawn({ name: 'eye' });

    const timeoutMs = 20_000;
    await agent.ask('What is this?', { timeoutMs, content: [photo] });
    await agent.ask('Its colour?', { timeoutMs });

    expect(model.requests()[1]?.messages[0]?.content).toContainEqual(photo);
    await expect(agent.ask('a', { timeoutMs, content: [] })).rejects.toMatchObject({
      code: 'invalid_options',
    });
  });

  it('goes from a tool in a thread to its child', async () => {
    const task = { goal: 'look', name: 'child', content: [photo] };
    const { supervisor, model } = supervise(calls(['hand_over', { task, isBackground: false }]), {
      tools: [toolFixture('imposter')],
    });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    const ofChild = model.requests().find(({ agent }) => agent.path.endsWith('/child'));
    expect(lastOf(ofChild?.messages)).toEqual([{ type: 'text', text: 'look' }, photo]);
  });

  const large = imageBlock('image/png', 'A'.repeat(4_000_000));

  it.each<[string, unknown, string, string]>([
    ['no list', photo, 'content', 'expected a list'],
    ['an empty list', [], 'content', 'a list that is not empty'],
    ['another block', [{ type: 'audio' }], 'content.0.type', 'text'],
    ['an empty text', [{ type: 'text', text: '' }], 'content.0.text', 'a text that is not empty'],
    ['an address', [{ type: 'image', source: { type: 'url' } }], 'content.0.source.type', 'base64'],
    ['another kind', [imageBlock('image/tiff', 'AA==')], 'content.0.source.media_type', 'png'],
    ['a data URL', [imageBlock('image/png', 'data:image/png;base64,AA==')], dataAt, 'without'],
    ['bytes', [imageBlock('image/png', '\u0089PNG')], dataAt, 'base64'],
    [
      'one that is too large',
      [imageBlock('image/png', 'A'.repeat(5_000_004))],
      dataAt,
      '5,000,000',
    ],
    ['too many', [large, large], 'content', 'room for 7,500,000'],
  ])('is refused when it is %s', async (_case, content, field, message) => {
    const { supervisor } = supervise({ default: [] });

    const error = await rejection(supervisor.delegate({ goal: 'a', content } as Task));

    expect(error).toMatchObject({ code: 'invalid_task', detail: { field } });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message.length).toBeLessThan(400);
  });
});

const dataAt = 'content.0.source.data';

describe('an answer with an image', () => {
  it('is an answer, with its text or without', async () => {
    const { supervisor } = supervise({ default: [] });
    const silent = defineAgent({ name: 'silent', model: painterSaying('') });

    const outcomes = await within(
      supervisor.delegate([
        { goal: 'draw', agent: painter },
        { goal: 'draw', agent: silent },
      ]),
      'the outcomes',
    );

    expect(outcomes).toMatchObject([
      { exitReason: 'goal', text: 'Here it is.', images: [drawing] },
      { exitReason: 'goal', text: '', images: [drawing] },
    ]);
    expect((await within(supervisor.delegate({ goal: 'a' }), 'a failure')).images).toBeUndefined();
  });

  it('is in the conversation of its agent', async () => {
    const { supervisor } = supervise({ default: [] });
    const agent = await supervisor.spawn(painter);

    const outcome = await agent.ask('draw', { timeoutMs: 20_000 });

    expect(outcome.images).toEqual([drawing]);
    expect(agent.history().at(-1)?.content).toContainEqual(drawing);
  });

  it.each<[string, NonNullable<SupervisorOptions['tools']>, string, unknown]>([
    [
      'Agent',
      agentTools(),
      'Agent',
      { description: 'x', prompt: 'draw', subagent_type: 'painter' },
    ],
    ['task', [taskTool({ model: draws })], 'task', { prompt: 'draw' }],
    ['delegate_task', [delegateTaskTool({ model: draws })], 'delegate_task', { goal: 'x' }],
  ])('reaches the agent that asked by %s', async (_case, tools, name, input) => {
    const { supervisor, model } = supervise(calls([name, input]), { tools, agents: [painter] });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.text).toBe('done');
    expect(lastOf(model.requests().at(-1)?.messages)).toMatchObject([
      {
        type: 'tool_result',
        content: [{ type: 'text', text: expect.stringContaining('Here it is.') }, drawing],
      },
    ]);
  });

  it('reaches it from a task in the background', async () => {
    const { supervisor } = supervise({ default: [] }, { agents: [painter] });
    const tools = supervisor.session('chat').tools([...agentTools()]);

    const input = { description: 'x', prompt: 'draw', subagent_type: 'painter' };
    const begun = await tools.call('Agent', { ...input, run_in_background: true });
    const [task_id] = /task_\S+|\bt\S*\d+/.exec(String(begun.content)) ?? [''];
    const { content } = await within(tools.call('TaskOutput', { task_id }), 'the end');

    expect(content).toEqual([{ type: 'text', text: 'Here it is.' }, drawing]);
  });

  it('reaches a main agent from its subagent', async () => {
    const { supervisor } = supervise(
      { default: [] },
      { model: painterSaying('Here it is.'), workspace: temporaryFolder() },
    );
    const session = supervisor.session('chat');
    const config = { enabled: true, dynamicEnabled: true };
    const tools = session.tools(subagentTools(session, { config }));
    await tools.call('create_subagent', { name: 'ada', system_prompt: 'You draw.' });

    const { content } = await within(tools.call('transfer_to_ada', { input: 'draw' }), 'ada');

    expect(content).toEqual([{ type: 'text', text: 'Here it is.' }, drawing]);
  });

  it('is refused when it is none', async () => {
    const content = [imageBlock('image/tiff', 'AA==')];
    const model: Model = { id: 'bad', price: 0, retry: false, respond: async () => ({ content }) };
    const { supervisor } = supervise({ default: [] });

    const { error } = await within(supervisor.delegate({ goal: 'a', model }), 'the outcome');

    expect(error).toMatchObject({
      code: 'model_bad_response',
      message: expect.stringContaining('content.0.source.media_type must be one of image/png'),
    });
  });
});
