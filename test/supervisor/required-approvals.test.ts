// Checks what patterns of a supervisor, an agent and a task require: tools of every kind ask, below an agent too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  type AgentDefinition,
  type ApprovalRequest,
  defineAgent,
  defineTool,
  type SupervisorOptions,
  type Task,
} from '#src/index.js';
import type { Script } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { command, connected } from '../tools/mcp-support.ts';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string().default('you') }),
  tags: ['greeting'],
  run: ({ name }) => `hello ${name}`,
});

/** A supervisor whose person gives each question this answer, and what was asked. */
function asking(script: Script, options: Partial<SupervisorOptions>, answer = true) {
  const asked: ApprovalRequest[] = [];
  const approve = (request: ApprovalRequest): boolean => {
    asked.push(request);
    return answer;
  };
  return { ...supervise(script, { approve, ...options }), asked };
}

const noWord = (name: string) =>
  `Tool "${name}" needs a person's approval and did not get it: it was denied. It was not run.`;

describe('a required approval', () => {
  it.each([true, false])('is asked for a tool of the service (answer %j; V11)', async (answer) => {
    const { supervisor, model, asked } = asking(
      calls(['greet', { name: 'Ann' }]),
      { tools: [greet], approval: { require: ['gr*', 'tag:greeting', 'tag:process'] } },
      answer,
    );

    await within(supervisor.delegate({ goal: 'a', name: 'n' }), 'the outcome');

    expect(asked).toMatchObject([
      {
        tool: 'greet',
        tags: ['greeting'],
        input: { name: 'Ann' },
        agent: { name: 'agent', path: '/n' },
        requiredBy: [
          { by: 'supervisor', pattern: 'gr*' },
          { by: 'supervisor', pattern: 'tag:greeting' },
        ],
      },
    ]);
    expect(answered(model)).toEqual([answer ? ['hello Ann', false] : [noWord('greet'), true]]);
  });

  it.each([true, false])('is asked for a tool of a module (answer %j)', async (answer) => {
    const { supervisor, model, asked } = asking(
      calls(['sometimes', { amount: 5 }]),
      { tools: [toolFixture('careful')] },
      answer,
    );

    // Such an amount needs no approval by the tool's own word.
    const task = { goal: 'a', approval: { require: ['sometimes'] } };
    await within(supervisor.delegate(task), 'the outcome');

    expect(asked.map(({ requiredBy }) => requiredBy)).toEqual([
      [{ by: 'task', pattern: 'sometimes' }],
    ]);
    expect(answered(model)).toEqual([answer ? ['paid 5', false] : [noWord('sometimes'), true]]);
  });

  it.each([true, false])('is asked for built-in tools (answer %j)', async (answer) => {
    const workspace = temporaryFolder();
    const { supervisor, model, asked } = asking(
      calls(
        ['write', { path: 'a.txt', content: 'words' }],
        ['terminal', { command: 'echo hi > b.txt' }],
        ['list', {}],
      ),
      { workspace, approval: { require: ['tag:process', 'write'] } },
      answer,
    );

    const task = { goal: 'a', toolsets: ['file', 'terminal'] };
    await within(supervisor.delegate(task), 'the outcome');

    expect(asked.map(({ tool }) => tool).sort()).toEqual(['terminal', 'write']);
    const [write, terminal, list] = answered(model).map(([, isError]) => isError);
    expect([write, terminal, list]).toEqual([!answer, !answer, false]);
    if (answer) expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('words');
    else expect(() => readFileSync(join(workspace, 'b.txt'))).toThrow();
  });

  it.each([true, false])(
    'is asked for a tool of an MCP server (answer %j; V11)',
    async (answer) => {
      const { tools } = await connected({ mcpServers: { fixture: command('stdio-server') } });
      const name = 'mcp__fixture__echo';
      const { supervisor, model, asked } = asking(
        calls([name, { text: 'hi' }]),
        { tools, approval: { require: ['mcp__*'] } },
        answer,
      );

      await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

      expect(asked).toMatchObject([{ tool: name, input: { text: 'hi' } }]);
      const result = JSON.stringify(model.requests().at(-1)?.messages.at(-1));
      expect(result).toContain(answer ? 'echo hi' : 'it was denied');
    },
  );

  it.each([true, false])('is asked for a tool that delegates (answer %j)', async (answer) => {
    const delegate = delegateTaskTool();
    const { supervisor, model, watch, asked } = asking(
      calls(['delegate_task', { goal: 'count' }]),
      { tools: [delegate], approval: { require: ['tag:delegation'] } },
      answer,
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(asked[0]).toMatchObject({ tool: 'delegate_task', input: { goal: 'count' } });
    expect(watch.of('task_started')).toHaveLength(answer ? 2 : 1);
    if (!answer) expect(answered(model)).toEqual([[noWord('delegate_task'), true]]);
  });

  it.each(['load_skill', 'tag:skill', '*'])(
    'is asked for the tool that loads skills, named by %s (V11)',
    async (pattern) => {
      const { supervisor, model, asked } = asking(
        calls(['load_skill', { name: 'tidy' }]),
        {
          skills: [{ name: 'tidy', description: 'Tidies.', content: 'Be tidy.' }],
          agents: [{ name: 'strict', skills: ['tidy'], approval: { require: [pattern] } }],
        },
        false,
      );

      await within(supervisor.delegate({ goal: 'a', agent: 'strict' }), 'the outcome');

      expect(asked).toMatchObject([
        { tool: 'load_skill', tags: ['skill'], requiredBy: [{ by: 'agent', pattern }] },
      ]);
      expect(answered(model)).toEqual([[noWord('load_skill'), true]]);
    },
  );

  const handOver = defineTool({
    name: 'hand_over',
    description: 'Hands over.',
    input: z.object({ agent: z.string() }),
    run: async ({ agent }, tool) =>
      (await tool.delegate([{ goal: 'b', ...(agent === '' ? {} : { agent }) }]))[0]?.text,
  });
  const levels: readonly (readonly [
    string,
    Partial<SupervisorOptions>,
    Partial<AgentDefinition>,
    Partial<Task>,
  ])[] = [
    ['the supervisor', { approval: { require: ['greet'] } }, {}, {}],
    ['the agent', {}, { approval: { require: ['greet'] } }, {}],
    ['the task', {}, {}, { approval: { require: ['greet'] } }],
  ];
  it.each(levels)(
    'of %s holds two levels below (V11)',
    async (_level, options, definition, task) => {
      const use = (name: string, input = {}) => [
        { toolCalls: [{ name, input }] },
        { text: `${name} done` },
      ];
      const { supervisor, asked } = asking(
        {
          agents: {
            boss: use('hand_over', { agent: 'middle' }),
            middle: use('hand_over', { agent: 'child' }),
            child: use('greet'),
          },
        },
        {
          tools: [greet, handOver],
          limits: { maxSpawnDepth: 2 },
          agents: [
            defineAgent({ name: 'boss', tools: ['hand_over'], ...definition }),
            // It says that nothing needs approval, which takes nothing away.
            { name: 'middle', approval: { require: [] } },
            { name: 'child', tools: ['greet'] },
          ],
          ...options,
        },
      );

      await within(supervisor.delegate({ goal: 'a', agent: 'boss', name: 'top', ...task }), 'it');

      const by = _level.split(' ')[1];
      expect(asked).toMatchObject([
        { agent: { name: 'child' }, tool: 'greet', requiredBy: [{ by, pattern: 'greet' }] },
      ]);
      expect(asked[0]?.agent.path).toMatch(/^\/top\/[^/]+\/[^/]+$/);
    },
  );

  it('of one agent and one task is not that of another', async () => {
    const { supervisor, asked } = asking(
      { default: calls('greet').default ?? [] },
      { tools: [greet], agents: [{ name: 'strict', approval: { require: ['*'] } }] },
    );

    await within(supervisor.delegate({ goal: 'a', agent: 'strict' }), 'the strict one');
    await within(supervisor.delegate({ goal: 'b', approval: { require: ['greet'] } }), 'one more');
    await within(supervisor.delegate({ goal: 'c' }), 'the other');

    expect(asked.map(({ requiredBy }) => requiredBy)).toEqual([
      [{ by: 'agent', pattern: '*' }],
      [{ by: 'task', pattern: 'greet' }],
    ]);
  });

  it('asks for none of the tools by which a run answers', async () => {
    const { supervisor, asked } = asking(
      { default: [{ toolCalls: [{ name: 'generate_response', input: { sum: 3 } }] }] },
      { approval: { require: ['*'] } },
    );

    const outputSchema = z.object({ sum: z.number() });
    const outcome = await within(supervisor.delegate({ goal: 'a', outputSchema }), 'the outcome');

    expect(outcome.structured).toEqual({ sum: 3 });
    expect(asked).toEqual([]);
  });
});
