// Checks the ReAct agent on real threads: its options, its memory, what it prints while its run goes on.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MsgHub } from '#src/dialects/agent-family/base/hub.js';
import { Memory } from '#src/dialects/agent-family/base/memory.js';
import { createMsg } from '#src/dialects/agent-family/base/msg.js';
import { ReActAgent } from '#src/dialects/agent-family/react/react-agent.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import { defineTool } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { gate, rejection, toolFixture, within } from '../../supervisor/support.ts';
import { arrange, contents, msg, Parrot, texts } from './support.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});

describe('a ReAct agent', () => {
  it('answers by a run of its supervisor, with its own prompt, model and tools (D1, D13)', async () => {
    const model = scripted({
      agents: {
        host: [
          {
            toolCalls: [
              { name: 'add', input: { a: 40, b: 2 } },
              { name: 'echo', input: { text: 'hi' } },
            ],
          },
          { text: 'It is 42.' },
        ],
      },
    });
    const { host, watch } = arrange(
      { default: [{ text: 'not asked' }] },
      { model, toolkit: new Toolkit([add, toolFixture('plain')]), run: { temperature: 0.5 } },
    );

    const reply = await host.reply(msg('What is 40 + 2?'));

    expect(reply).toMatchObject({ name: 'host', role: 'assistant' });
    expect(reply.metadata).toMatchObject({ exitReason: 'goal', turns: 2 });
    const [first] = model.requests();
    expect(first?.system).toContain('You are the host.');
    expect(first?.settings?.temperature).toBe(0.5);
    expect(first?.tools.map(({ name }) => name)).toContain('add');
    expect(watch.of('tool_started').map(({ name, where }) => [name, where])).toEqual([
      ['add', 'host'],
      ['echo', 'thread'],
    ]);
    model.assertConsumed();
  });

  it.each([
    ['name', { name: 'two words' }],
    ['maxIters', { maxIters: 0 }],
    ['longTermMemoryMode', { longTermMemoryMode: 'sometimes' }],
    ['toolkit', { toolkit: [] }],
    ['memory', { memory: {} }],
    ['supervisor', { supervisor: {} }],
    ['max_iters', { max_iters: 3 }],
  ])('refuses a wrong %s, naming it (D13)', (field, wrong) => {
    const { supervisor } = arrange([{ text: 'not asked' }]);
    const options = { name: 'host', supervisor, systemPrompt: '', ...wrong };

    expect(() => new ReActAgent(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(field) }),
    );
  });

  it('records the input before each reply, and remembers what the run said (D2, D14)', async () => {
    const memory = new Memory();
    const { host, model } = arrange([{ text: 'Hello, Ada.' }], { memory });

    await host.observe(msg('It is raining.', 'weather', 'assistant'));
    expect(model.requests()).toEqual([]);
    await host.reply([msg('I am Ada.')]);
    const reply = await host.reply(msg('Who am I?'));

    expect(model.requests()[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'weather: It is raining.' }] },
      { role: 'user', content: [{ type: 'text', text: 'I am Ada.' }] },
    ]);
    const roles = model.requests()[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'user', 'assistant', 'user']);
    expect(memory.size).toBe(5);
    expect(memory.messages().at(-1)).toEqual(reply);
  });

  it('replies to what it has, when it is given nothing, pictures and sounds included (D14)', async () => {
    const { host, model } = arrange([{ text: 'A cat, miaowing.' }]);
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'aW1n' },
    } as const;
    const sound = {
      type: 'audio',
      source: { type: 'base64', media_type: 'audio/wav', data: 'c25k' },
    } as const;
    const content = [picture, sound, { type: 'text', text: 'What is it?' } as const];
    await host.observe(createMsg({ name: 'user', role: 'user', content }));

    await host.reply();
    await host.reply(null);

    const [first, second] = model.requests();
    expect(first?.messages).toEqual([
      { role: 'user', content: [picture, { type: 'text', text: '(a sound, audio/wav)' }] },
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }] },
    ]);
    expect(second?.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Go on.' }],
    });
  });

  it('builds its prompt with the formatter it is given (D13, D15)', async () => {
    const { host, model } = arrange([{ text: 'Oui.' }], {
      formatter: async (messages, { name }) => [
        { role: 'user', content: `${name} has heard ${messages.length} messages.` },
      ],
    });

    await host.reply([msg('one'), msg('two')]);

    expect(model.requests()[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'host has heard 2 messages.' }] },
    ]);
  });

  it('prints chunks as they stream, each message whole at its end, and the reply once (D3, D15)', async () => {
    const { host, chunks } = arrange(
      [
        { chunks: ['Let me ', 'add.'], toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] },
        { thinking: 'three', text: 'It is 3.' },
      ],
      { toolkit: new Toolkit([add]) },
    );
    const printed: unknown[] = [];
    host.registerInstanceHook('pre_print', 'log', (_, { message, isLast }) => {
      printed.push([message.id, message.role, isLast]);
      return null;
    });

    const reply = await host.reply(msg('1 + 2?'));

    expect(texts(chunks).join('')).toBe('Let me add.It is 3.');
    expect(chunks.map(({ block }) => block.type)).toEqual(
      expect.arrayContaining(['text', 'tool_use', 'tool_result', 'thinking']),
    );
    const whole = printed.filter((each) => (each as unknown[])[2] === true);
    expect(whole.map((each) => (each as unknown[])[1])).toEqual([
      'assistant',
      'system',
      'assistant',
    ]);
    expect((whole.at(-1) as unknown[])[0]).toBe(reply.id);
    const ended = chunks.filter(({ isLast }) => isLast).map(({ messageId }) => messageId);
    expect([...new Set(ended)]).toEqual(whole.map((each) => (each as unknown[])[0]));
    expect(printed.length).toBeGreaterThan(whole.length);
    expect(contents(host.memory.messages()).at(-1)).toEqual(reply.content);
  });

  it('tells its hub the reply alone, whatever it printed (D8, D15)', async () => {
    const { host } = arrange(
      [{ text: 'adding', toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, { text: '3' }],
      { toolkit: new Toolkit([add]) },
    );
    const parrot = new Parrot({ name: 'polly' });
    using _hub = new MsgHub([host, parrot]);

    const reply = await host.reply(msg('1 + 2?'));

    expect(parrot.observed).toEqual([reply]);
  });

  it.each([
    [true, 2],
    [false, 1],
  ])(
    'with parallelToolCalls %s, %d tools run at a time, results in order (D16)',
    async (parallelToolCalls, max) => {
      let [running, peak] = [0, 0];
      const both = gate();
      const meet = defineTool({
        name: 'meet',
        description: 'Waits for another.',
        input: z.object({ at: z.number() }),
        async run({ at }) {
          running += 1;
          peak = Math.max(peak, running);
          if (running === 2 || !parallelToolCalls) both.open();
          await within(both.opened, 'the other');
          running -= 1;
          return `at ${at}`;
        },
      });
      const toolCalls = [1, 2].map((at) => ({ name: 'meet', input: { at } }));
      const { host, model } = arrange([{ toolCalls }, { text: 'met' }], {
        toolkit: new Toolkit([meet]),
        parallelToolCalls,
      });

      await host.reply(msg('meet'));

      expect(peak).toBe(max);
      expect(model.requests()[1]?.messages.at(-1)?.content).toMatchObject([
        { content: 'at 1' },
        { content: 'at 2' },
      ]);
    },
  );

  it('sums up when maxIters is used up, and resolves with that (D18)', async () => {
    const again = { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] };
    const { host, model } = arrange([again, again, { text: 'I added twice.' }], {
      toolkit: new Toolkit([add]),
      maxIters: 2,
    });

    const reply = await host.reply(msg('add for ever'));

    expect(reply).toMatchObject({ metadata: { exitReason: 'max_turns' } });
    expect(reply.content).toEqual('I added twice.');
    expect(model.requests()).toHaveLength(3);
    model.assertConsumed();
  });

  it('puts the answer by schema into the metadata, after a wrong one was corrected (D19)', async () => {
    const answer = (input: unknown) => ({ toolCalls: [{ name: 'generate_response', input }] });
    const { host } = arrange([answer({ km: 'far' }), answer({ km: 42 })]);

    const reply = await host.reply(msg('How far?'), {
      outputSchema: z.object({ km: z.number() }),
    });

    expect(reply.metadata).toMatchObject({ structured: { km: 42 } });
  });

  it('rejects with what its model failed with, and goes on at the next reply (D23)', async () => {
    const { host } = arrange({
      agents: { host: [{ throw: { status: 400, message: 'no such thing' } }] },
    });

    expect(await rejection(host.reply(msg('hello')))).toMatchObject({ code: 'model_bad_request' });
    expect(await rejection(host.reply(msg('hello')))).toMatchObject({ code: 'model_bad_request' });
    expect(contents(host.memory.messages())).toEqual(['hello', 'hello']);
  });
});
