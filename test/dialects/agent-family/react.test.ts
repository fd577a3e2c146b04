// Checks the ReAct agent on real threads: its options, its memory, what it prints while its run goes on.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Memory } from '#src/dialects/agent-family/base/memory.js';
import { Toolkit } from '#src/dialects/agent-family/react/toolkit.js';
import { defineTool } from '#src/index.js';
import { arrange, contents, said } from './support.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});

describe('a ReAct agent', () => {
  it('D1 D13 answers by a run of its supervisor, with its own prompt, model and tools', async () => {
    const { host, model } = arrange(
      [{ toolCalls: [{ name: 'add', input: { a: 40, b: 2 } }] }, { text: 'It is 42.' }],
      { toolkit: new Toolkit([add]) },
    );

    const reply = await host.reply(said('What is 40 + 2?'));

    expect(reply).toMatchObject({ name: 'host', role: 'assistant' });
    expect(reply.metadata).toMatchObject({ exitReason: 'goal', turns: 2 });
    const [first] = model.requests();
    expect(first?.system).toContain('You are the host.');
    expect(first?.tools.map(({ name }) => name)).toEqual(['add']);
    model.assertConsumed();
  });

  it('D14 records the input before each reply, and remembers what the run said', async () => {
    const memory = new Memory();
    const { host, model } = arrange([{ text: 'Hello, Ada.' }], { memory });

    await host.observe(said('It is raining.', 'weather', 'assistant'));
    await host.reply(said('I am Ada.'));
    await host.reply(said('Who am I?'));

    expect(model.requests()[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'weather: It is raining.' }] },
      { role: 'user', content: [{ type: 'text', text: 'I am Ada.' }] },
    ]);
    expect(model.requests()[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'user',
    ]);
    expect(contents(memory.messages())).toHaveLength(5);
  });
});
