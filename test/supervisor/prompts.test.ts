// Checks what reaches a model of the prompt settings of definitions and tasks, in supervisors with real threads.
import { describe, expect, it } from 'vitest';
import type { Message } from '#src/index.js';
import { createSupervisor, defineAgent } from '#src/index.js';
import { type Script, scripted } from '#src/testing.js';
import { delegate, handsTo } from './family.ts';
import { rejection, supervise, superviseInManualTime, toolFixture, within } from './support.ts';

const done: Script = { default: [{ text: 'done' }] };
const textOf = (message: Message | undefined): string =>
  message?.content.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? '';
const textsOf = (messages: readonly Message[] | undefined): readonly string[] =>
  messages?.map(textOf) ?? [];

const skills = [
  { name: 'pdf', description: 'Reads PDF files.' },
  { name: 'sql', description: 'Writes queries.' },
];

describe('prompts', () => {
  it('begin with the agent’s own name, then directory, behaviour and skills (A37)', async () => {
    const { supervisor, model } = supervise(done, { workspace: '/tmp', skills });
    const agent = defineAgent({
      name: 'reviewer',
      instructions: 'Review the code.',
      promptParts: { role: true, workingDirectory: true, behaviour: true, nonInteractive: true },
      skills: ['pdf'],
    });

    await within(supervisor.delegate({ goal: 'a', agent }), 'the outcome');

    const system = model.requests()[0]?.system ?? '';
    const order = [
      'the agent reviewer',
      'Review the code.',
      '/tmp',
      '# Behaviour',
      '## pdf',
      'Ask no',
    ];
    expect(order.map((part) => system.indexOf(part))).toEqual(
      [...order.map((part) => system.indexOf(part))].sort((a, b) => a - b),
    );
    expect(order.every((part) => system.includes(part))).toBe(true);
  });

  it('have no part that was not asked for (X14)', async () => {
    const { supervisor, model } = supervise(done, { skills });

    await within(supervisor.delegate({ goal: 'Go.' }), 'the outcome');

    expect(model.requests()[0]?.system).not.toContain('#');
    expect(model.requests()[0]?.messages).toHaveLength(1);
    expect(textOf(model.requests()[0]?.messages[0])).toBe('Go.');
  });

  it('tell the time on the user’s side: the system prompt stays the same, byte for byte (A38, A60)', async () => {
    const { supervisor, model, clock } = superviseInManualTime(done);
    const agent = { name: 'timed', promptParts: { role: true, timeZone: 'Europe/Berlin' } };

    await within(supervisor.delegate({ goal: 'a', agent }), 'the outcome');
    await clock.advance(3_600_000);
    await within(supervisor.delegate({ goal: 'b', context: 'c', agent }), 'the outcome');

    const [first, second] = model.requests();
    expect(Buffer.from(first?.system ?? '').equals(Buffer.from(second?.system ?? 'x'))).toBe(true);
    expect(JSON.stringify(first?.tools)).toBe(JSON.stringify(second?.tools));
    const times = [first, second].map(
      (request) => textOf(request?.messages[0]).match(/# Current Time\n\n(.* \(GMT\+\d\))$/)?.[1],
    );
    expect(times[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d/);
    expect(times[1]).not.toBe(times[0]);
  });

  it('tell no time where none is asked for (A11)', async () => {
    const { supervisor, model } = supervise(done);
    const agent = { name: 'untimed', promptParts: { role: true } };

    await within(supervisor.delegate({ goal: 'Go.', agent }), 'the outcome');

    expect(textOf(model.requests()[0]?.messages[0])).toBe('Go.');
  });

  it('describe an agent’s own skills and no others (A61)', async () => {
    const { supervisor, model } = supervise(done, { skills });

    await within(
      supervisor.delegate([
        { goal: 'a', agent: { name: 'a', skills: ['pdf'] } },
        { goal: 'b', agent: { name: 'b', skills: ['sql'] } },
        { goal: 'c', agent: { name: 'c' } },
      ]),
      'the outcomes',
    );

    const systems = new Map(model.requests().map(({ agent, system }) => [agent.name, system]));
    expect(systems.get('a')).toContain('Reads PDF files.');
    expect(systems.get('a')).not.toContain('sql');
    expect(systems.get('b')).not.toContain('pdf');
    expect(systems.get('c')).not.toContain('# Skills');
  });

  it('put the environment in front as an exchange, then examples, then the task (B14)', async () => {
    const { supervisor, model } = supervise(done);

    await within(
      supervisor.delegate({
        goal: 'Go.',
        promptParts: { environment: 'A ship.' },
        initialMessages: [
          { role: 'system', content: 'Obey.' },
          { role: 'user', content: 'ping' },
          { role: 'assistant', content: [{ type: 'text', text: 'pong' }] },
        ],
      }),
      'the outcome',
    );

    const [request] = model.requests();
    expect(textsOf(request?.messages)).toEqual(['A ship.', 'Understood.', 'ping', 'pong', 'Go.']);
    expect(request?.system).not.toContain('A ship.');
  });

  it.each(['', ' \n'])(
    'put nothing in front for a blank environment, %j (B14)',
    async (environment) => {
      const { supervisor, model } = supervise(done);

      await within(
        supervisor.delegate({ goal: 'Go.', promptParts: { environment } }),
        'the outcome',
      );

      expect(textsOf(model.requests()[0]?.messages)).toEqual(['Go.']);
    },
  );

  it('replay what a spawned agent remembers before its examples, the examples once (A56)', async () => {
    const { supervisor, model } = supervise(done);
    const agent = await supervisor.spawn({
      name: 'parrot',
      promptParts: { environment: 'A ship.' },
      initialMessages: [
        { role: 'user', content: 'ping' },
        { role: 'assistant', content: 'pong' },
      ],
    });

    await within(agent.ask('first', { timeoutMs: 20_000 }), 'the first answer');
    await within(agent.ask('second', { timeoutMs: 20_000 }), 'the second answer');

    expect(textsOf(model.requests()[1]?.messages)).toEqual([
      'A ship.',
      'Understood.',
      'first',
      'done',
      'ping',
      'pong',
      'second',
    ]);
    expect(textsOf(agent.history())).toEqual(['first', 'done', 'second', 'done']);
  });

  it('keep of a spawned agent’s runs what its memory holds, on both sides of the boundary (A51)', async () => {
    const { supervisor, model } = supervise(
      {
        default: [{ toolCalls: [{ name: 'echo', input: { text: 'long text' } }] }, { text: 'ok' }],
      },
      { tools: [toolFixture('plain')] },
    );
    const agent = await supervisor.spawn({
      name: 'forgetful',
      memory: { maxMessages: 4, maxResultChars: 4 },
    });

    for (const question of ['one', 'two', 'three']) {
      await within(agent.ask(question, { timeoutMs: 20_000 }), question);
    }

    const sent = model.requests().at(-2)?.messages ?? [];
    expect(textsOf(sent)).toEqual(['two', '', '', 'ok', 'three']);
    expect(sent[2]?.content).toMatchObject([{ content: 'long...[truncated]' }]);
    expect(textsOf(agent.history())).toEqual(['three', '', '', 'ok']);
  });

  it('hold their opening together over a parked run (V7)', async () => {
    const { supervisor, model, watch } = supervise(
      { default: [handsTo('leaf'), { text: 'done' }], agents: { leaf: [{ text: 'leaf' }] } },
      { agents: [{ name: 'leaf' }], tools: [delegate], limits: { maxLiveAgents: 1 } },
    );
    const agent = await supervisor.spawn({
      name: 'lead',
      promptParts: { environment: 'A ship.' },
      initialMessages: [{ role: 'user', content: 'ping' }],
    });

    await within(agent.ask('first', { timeoutMs: 20_000 }), 'the first answer');
    await within(agent.ask('second', { timeoutMs: 20_000 }), 'the second answer');

    expect(watch.of('agent_parked').length).toBeGreaterThan(0);
    const third = model.requests().filter(({ agent: { name } }) => name === 'lead')[2];
    expect(textsOf(third?.messages)).toEqual([
      'A ship.',
      'Understood.',
      'first',
      'handing over',
      '',
      'done',
      'ping',
      'second',
    ]);
  });

  it.each([
    [{ skills: ['swim'] }, 'unknown_skill', '"swim"'],
    [{ promptParts: { timeZone: 'Middle/Earth' } }, 'invalid_task', 'promptParts.timeZone'],
    [{ promptParts: { colour: 'red' } as never }, 'invalid_task', 'promptParts.colour'],
    [{ memory: { maxMessages: 0 } }, 'invalid_task', 'memory.maxMessages'],
    [
      { initialMessages: [{ role: 'tool', content: 'x' }] as never },
      'invalid_task',
      'initialMessages',
    ],
  ])('refuse %j before anything starts', async (bad, code, part) => {
    const { supervisor, watch } = supervise(done, { skills });

    expect(await rejection(supervisor.delegate({ goal: 'a', ...bad }))).toMatchObject({
      code,
      message: expect.stringContaining(part),
    });
    expect(watch.of('task_queued')).toEqual([]);
  });

  it('refuse two skills of one name', () => {
    const twins = [...skills, ...skills];

    expect(() => createSupervisor({ model: scripted(done), skills: twins })).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
  });
});
