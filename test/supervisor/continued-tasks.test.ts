// Checks going on with an ended task: by the program, by an agent, by a loop of a session; and what its owner may do while it runs.
import { describe, expect, it } from 'vitest';
import { agentTools } from '#src/dialects/claude-code/index.js';
import type { ModelRequest, SupervisorOptions, Task } from '#src/index.js';
import { directing, lastGoalOf, type Parts, resultsIn } from '../support/directed.ts';
import { rejection, toolFixture, within } from './support.ts';

const scout = { name: 'scout', prompt: 'You look.' };

const rig = (parts: Parts = {}, options: Partial<SupervisorOptions> = {}) =>
  directing(parts, { agents: [scout], ...options }, lastGoalOf);

const texts = (request: ModelRequest | undefined) =>
  request?.messages.map(({ role, content }) => {
    const [block] = content;
    return `${role}: ${block?.type === 'text' ? block.text : block?.type}`;
  });

describe('a task that continues another', () => {
  it('goes on with its conversation, in its agent', async () => {
    const { supervisor, model } = rig();
    const delegate = (task: Task) => within(supervisor.delegate(task), 'the outcome');

    const first = await delegate({ goal: 'one', agent: 'scout' });
    const second = await delegate({ goal: 'two', continues: first.taskId });
    const third = await delegate({ goal: 'three', continues: second.taskId });

    expect(texts(model.requests('three')[0])).toEqual([
      'user: one',
      'assistant: one done',
      'user: two',
      'assistant: two done',
      'user: three',
    ]);
    expect([second.agent.name, third.agent.name]).toEqual(['scout', 'scout']);
    expect(model.requests('two')[0]?.system).toContain('You look.');
  });

  it('has the opening of its agent once, and every call answered', async () => {
    const initialMessages = [
      { role: 'user', content: 'like this?' },
      { role: 'assistant', content: 'yes' },
    ] as const;
    const { supervisor, model, watch } = rig(
      {
        one: [{ calls: [['Agent', { description: 'x', prompt: 'long' }]] }],
        long: [{ hang: true }],
      },
      { tools: agentTools() },
    );
    const agent = { name: 'scout', initialMessages };
    const handle = supervisor.start({ goal: 'one', agent });
    await watch.next('turn_started', ({ depth }) => depth === 1);
    await within(handle.interrupt(), 'the interrupt');

    const task = { goal: 'two', agent, continues: handle.id };
    await within(supervisor.delegate(task), 'the outcome');

    expect(texts(model.requests('two')[0])).toEqual([
      'user: one',
      'assistant: tool_use',
      'user: tool_result',
      'user: like this?',
      'assistant: yes',
      'user: two',
    ]);
  });

  it.each<[string, Partial<Task>, string, string]>([
    ['with a history of its own', { history: [] }, 'invalid_task', 'leave out `history`'],
    ['of none that is kept', { continues: 't99' }, 'unknown_task', '"t99" that is kept'],
    ['of one that runs', {}, 'invalid_task', 'task t1 has not ended: steer it'],
  ])('is refused %s', async (_case, more, code, message) => {
    const { supervisor } = rig({ one: [{ hang: true }] });
    const running = supervisor.start({ goal: 'one' });

    const error = await rejection(
      supervisor.delegate({ goal: 'a', continues: running.id, ...more }),
    );

    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

const ask = (prompt: string, more: object = {}) =>
  ['Agent', { description: 'a part', prompt, ...more }] as const;

describe('an agent that delegated', () => {
  it('goes on with its child by the id in its answer, and with no other’s', async () => {
    const { supervisor, model } = rig(
      {
        plan: [
          { calls: [ask('one', { subagent_type: 'scout' })] },
          { calls: [ask('two', { resume: 't3' }), ask('steal', { resume: 't1' })] },
          { text: 'plan done' },
        ],
      },
      { tools: agentTools({ resumable: true }) },
    );
    await within(supervisor.delegate({ goal: 'other' }), 'the first');
    const parts = await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(parts.text).toBe('plan done');
    expect(resultsIn(model.requests('plan')[1])).toEqual([['one done\n\n[task t3]', false]]);
    expect(resultsIn(model.requests('plan')[2])).toEqual([
      ['two done\n\n[task t4]', false],
      [expect.stringContaining('no ended task "t1" that you delegated'), true],
    ]);
    expect(texts(model.requests('two')[0])).toHaveLength(3);
  });

  it('sends messages to what runs in its background, from its own thread too', async () => {
    const { supervisor, model, watch } = rig(
      {
        plan: [
          { calls: [['begin', { goal: 'long' }]] },
          { calls: [['steer', { taskId: 't2', text: 'the other one' }]] },
          { calls: [['join', { taskId: 't2' }]] },
        ],
        long: [{ calls: [['begin', { goal: 'inner' }]] }, { text: 'long done' }],
      },
      { tools: [toolFixture('background')] },
    );

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    const statuses = watch.of('steering_updated').map(({ status }) => status);
    expect(statuses.at(-1)).toBe('delivered');
    expect(JSON.stringify(model.requests())).toContain('the other one');
  });
});

describe('a loop of a session', () => {
  const loop = (parts: Parts = {}) => {
    const made = rig(parts);
    const toolsOf = (id: string) => made.supervisor.session(id).tools(agentTools());
    const tools = toolsOf('chat');
    const call = (name: string, input: unknown, from = tools) =>
      within(from.call(name, input), name);
    return { ...made, call, toolsOf };
  };
  const begin = {
    description: 'x',
    prompt: 'one',
    subagent_type: 'scout',
    run_in_background: true,
  };

  it('sends a message to a task that runs', async () => {
    const { call, model, watch } = loop({ one: [{ calls: [['nope', {}]] }, { hang: true }] });
    await call('Agent', begin);
    await watch.next('turn_started', ({ turn }) => turn === 2);

    const sent = await call('SendMessage', { to: 't1', message: 'hurry' });
    const queued = await watch.next('steering_updated');
    await call('TaskStop', { task_id: 't1' });

    expect(sent.content).toBe('Task t1 reads your message ahead of its next step.');
    expect(queued.status).toBe('queued');
    expect(model.requests('one')).toHaveLength(2);
  });

  it('goes on with one that has ended, which no other session can', async () => {
    const { call, model, toolsOf } = loop();
    await call('Agent', begin);
    await call('TaskOutput', { task_id: 't1' });

    const stolen = await call('SendMessage', { to: 't1', message: 'mine' }, toolsOf('other'));
    const sent = await call('SendMessage', { to: 't1', message: 'two' });
    const read = await call('TaskOutput', { task_id: 't2' });

    expect(stolen).toMatchObject({ isError: true, failure: { code: 'unknown_task' } });
    expect(sent.content).toMatch(/It goes on in the background as task t2/);
    expect(read.content).toBe('two done');
    expect(texts(model.requests('two')[0])).toEqual([
      'user: one',
      'assistant: one done',
      'user: two',
    ]);
    expect(model.requests('two')[0]?.system).toContain('You look.');
  });
});
