// Checks which patterns of required approvals are refused, and when.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type SupervisorOptions } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { calls, rejection, supervise, toolFixture, within } from './support.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string().default('you') }),
  tags: ['greeting'],
  run: ({ name }) => `hello ${name}`,
});

describe('wrong patterns', () => {
  const model = scripted({ default: [] });

  it.each([
    [{ require: [''] }, 'invalid_options', /approval\.require\[?\.?0/],
    [{ require: ['tags:process'] }, 'invalid_options', /expected the name of a tool/],
    [{ requires: ['greet'] }, 'invalid_options', /did you mean "require"/],
    [['greet'], 'invalid_options', /approval is \["greet"\]: expected \{ require:/],
    [{ require: ['terminl'] }, 'unknown_tool', /did you mean "terminal"/],
  ])('of a supervisor are refused by createSupervisor (%j)', (approval, code, message) => {
    expect(() => createSupervisor({ model, approval } as SupervisorOptions)).toThrowError(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('of an agent are refused by createSupervisor, naming the agent', () => {
    const agents = [{ name: 'a', approval: { require: ['bash'] } }];

    expect(() => createSupervisor({ model, agents, tools: [greet] })).toThrowError(
      expect.objectContaining({
        code: 'unknown_tool',
        message: expect.stringMatching(/agent "a".*"bash".*there are greet/),
      }),
    );
  });

  it('of a task are refused before it starts', async () => {
    const { supervisor, watch } = supervise({ default: [] }, { tools: [greet] });
    const error = (...require: string[]) =>
      rejection(supervisor.delegate({ goal: 'a', approval: { require } }));

    expect(await error('tag:')).toMatchObject({ code: 'invalid_task' });
    expect(await error('bash')).toMatchObject({ code: 'unknown_tool' });
    expect(watch.events).toEqual([]);
  });

  it('are warned of where a task or a session may bring the tool', async () => {
    const warnings: string[] = [];
    const logger = { warn: (_: unknown, text: string) => warnings.push(text), error: () => {} };
    const asked: string[] = [];
    const supervisor = createSupervisor({
      model: scripted(calls('greet')),
      approval: { require: ['greet'] },
      approve: ({ tool }) => asked.push(tool) > 0,
      logDirectory: false,
      logger,
    });

    await within(supervisor.delegate({ goal: 'a', tools: [greet] }), 'the outcome');
    await within(supervisor.close(), 'the close');

    expect(warnings).toEqual([expect.stringContaining('approval.require names "greet"')]);
    expect(asked).toEqual(['greet']);
  });

  it('are warned of by no supervisor whose modules may export the tool', async () => {
    const warnings: string[] = [];
    const logger = { warn: (_: unknown, text: string) => warnings.push(text), error: () => {} };
    const asked: string[] = [];
    const supervisor = createSupervisor({
      model: scripted(calls(['sometimes', { amount: 5 }])),
      tools: [toolFixture('careful')],
      approval: { require: ['sometimes'] },
      approve: ({ tool }) => asked.push(tool) > 0,
      logDirectory: false,
      logger,
    });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    await within(supervisor.close(), 'the close');

    expect([warnings, asked]).toEqual([[], ['sometimes']]);
  });
});
