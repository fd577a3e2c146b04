// Checks what a thread that forges its calls of host tools can reach: what its agent was granted.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { answered, supervise, toolFixture, within } from './support.ts';

it('a thread cannot name a tool of a granted toolset that was not itself granted (X7)', async () => {
  const ran: string[] = [];
  const named = (name: string) =>
    defineTool({
      name,
      description: name,
      input: z.object({}),
      run: () => {
        ran.push(name);
        return name;
      },
    });
  const tools = [named('list_rows'), named('erase')];
  const rows = {
    name: 'rows',
    description: 'Rows.',
    tools,
    open: () => ({ tools, close: async () => {} }),
  };
  const call = (name: string, input: object = {}) => ({
    text: 'calling',
    toolCalls: [{ name, input }],
  });
  const { supervisor, model } = supervise(
    {
      default: [
        call('list_rows'),
        call('forge', { what: 'call' }),
        call('list_rows'),
        { text: 'done' },
      ],
    },
    { tools: [toolFixture('forger')], toolsets: [rows] },
  );

  const outcome = await within(
    supervisor.delegate({
      goal: 'g',
      tools: ['forge', 'list_rows'],
      toolsets: ['rows'],
      disallowedTools: ['erase'],
    }),
    'the outcome',
  );

  expect(outcome.exitReason).toBe('goal');
  expect(answered(model)).toEqual([[expect.stringContaining('no host tool "erase"'), true]]);
  expect(ran).toEqual(['list_rows']);
});
