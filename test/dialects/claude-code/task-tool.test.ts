// Checks dialect E: what a child of `task` sees, what it may do, and the text that comes back.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { taskTool } from '#src/dialects/claude-code/index.js';
import { defineTool, type SupervisorOptions } from '#src/index.js';
import type { Message } from '#src/protocol/history.js';
import type { ScriptStep } from '#src/testing.js';
import { inShort, supervise, toolFixture, within } from '../../supervisor/support.ts';

const base = toolFixture('plain');
const noting = defineTool({
  name: 'note',
  description: 'Keeps a note.',
  input: z.object({ text: z.string() }),
  run: ({ text }) => `noted ${text}`,
});

/** A parent that calls `task` once with this prompt, and a child that plays `child`. */
function delegating(child: readonly ScriptStep[], options: Partial<SupervisorOptions> = {}) {
  return supervise(
    {
      agents: {
        parent: [
          { text: 'handing over', toolCalls: [{ name: 'task', input: { prompt: 'Do it.' } }] },
          { text: 'parent done' },
        ],
        task: child,
      },
    },
    {
      agents: [{ name: 'parent', prompt: 'You are the parent.' }],
      tools: [base, noting, taskTool()],
      ...options,
    },
  );
}

const run = (supervisor: ReturnType<typeof delegating>['supervisor']) =>
  within(supervisor.delegate({ goal: 'Begin.', agent: 'parent' }), 'the outcome');

const resultsIn = (message: Message | undefined) =>
  message?.role === 'user' ? message.content.filter(({ type }) => type === 'tool_result') : [];

describe('the tool task', () => {
  it('gives its parent one tool more than its child has, whatever the set (E1, E3, E5, E15)', async () => {
    const { supervisor, model } = delegating([{ text: 'child done' }]);
    await run(supervisor);

    const [parent, child] = model.requests();
    const names = (tools = parent?.tools) => tools?.map(({ name }) => name) ?? [];
    const difference = names().filter((name) => !names(child?.tools).includes(name));

    expect(difference).toEqual(['task']);
    expect(names(child?.tools)).toEqual(names().filter((name) => name !== 'task'));
    expect(names(child?.tools)).toContain('note');
    expect(parent?.system).toContain('You are the parent.');
    expect(child?.system).not.toContain('You are the parent.');
    expect(child?.system).toContain('subagent');
  });

  it('starts its child from one user message that holds the prompt (E2, E4, E7)', async () => {
    const { supervisor, model } = delegating([{ text: 'child done' }]);
    await run(supervisor);

    const [parent, child] = model.requests();
    const task = parent?.tools.find(({ name }) => name === 'task');

    expect(task?.inputSchema).toMatchObject({
      type: 'object',
      required: ['prompt'],
      properties: { prompt: { type: 'string' } },
    });
    expect(child?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Do it.' }] },
    ]);
    expect(child?.maxOutputTokens).toBe(8_000);
    expect(parent).not.toHaveProperty('maxOutputTokens');
  });

  it('answers a child that calls task as it answers any unknown tool (E3)', async () => {
    const { supervisor, model } = delegating([
      { toolCalls: [{ name: 'task', input: { prompt: 'again' } }] },
      { text: 'child done' },
    ]);
    await run(supervisor);

    const results = resultsIn(model.requests()[2]?.messages.at(-1));

    expect(results).toMatchObject([{ is_error: true }]);
    expect(JSON.stringify(results)).toMatch(/task/);
    expect(model.requests()).toHaveLength(4);
  });

  it('ends a child that only calls tools after 30 rounds, with no summary (E6, E12)', async () => {
    const step = { toolCalls: [{ name: 'note', input: { text: 'a' } }], repeat: true } as const;
    const { supervisor, model } = delegating([{ text: 'early words', ...step }]);
    const silent = delegating([{ text: 'early words', toolCalls: step.toolCalls }, step]);

    await run(supervisor);
    await run(silent.supervisor);

    const byChild = model.requests().filter(({ agent }) => agent.name === 'task');
    expect(byChild).toHaveLength(30);
    const last = model.requests().at(-1)?.messages.at(-1);
    expect(resultsIn(last)).toMatchObject([{ content: 'early words' }]);
    const quiet = silent.model.requests().at(-1)?.messages.at(-1);
    expect(resultsIn(quiet)).toMatchObject([{ content: '(no summary)' }]);
  });

  it('feeds a round’s results back in one message, in order, and returns the last text (E8, E9, E11)', async () => {
    const { supervisor, model } = delegating([
      {
        text: 'first words',
        toolCalls: ['a', 'b', 'c'].map((text) => ({
          id: `call_${text}`,
          name: 'note',
          input: { text },
        })),
      },
      { text: 'last words' },
    ]);

    const outcome = await run(supervisor);

    const byChild = model.requests().filter(({ agent }) => agent.name === 'task');
    expect(byChild).toHaveLength(2);
    expect(byChild[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(resultsIn(byChild[1]?.messages.at(-1))).toMatchObject(
      ['a', 'b', 'c'].map((text) => ({ tool_use_id: `call_${text}`, content: `noted ${text}` })),
    );
    expect(resultsIn(model.requests().at(-1)?.messages.at(-1))).toMatchObject([
      { content: 'last words' },
    ]);
    expect(inShort(outcome)).toEqual(['goal', undefined, 'parent done']);
  });

  it('cuts each tool output to 50,000 characters (E10)', async () => {
    const long = defineTool({
      name: 'long',
      description: 'Says a lot.',
      input: z.object({}),
      run: () => ({ text: 'x'.repeat(60_000) }),
    });
    const { supervisor, model } = delegating(
      [{ toolCalls: [{ name: 'long', input: {} }] }, { text: 'child done' }],
      { tools: [long, taskTool()] },
    );
    await run(supervisor);

    const [result] = resultsIn(model.requests()[2]?.messages.at(-1));
    const content = result?.type === 'tool_result' ? String(result.content) : '';

    expect(content).toMatch(/^\{"text":"xxx/);
    const [shown, notice] = content.split('\n');
    expect(content.length).toBeLessThanOrEqual(50_000);
    expect(shown?.length).toBeGreaterThan(49_800);
    expect(notice).toMatch(/^\[cut: 49,\d{3} of 60,011 characters shown/);
  });

  it('leaves one tool result in its parent’s history, and nothing of its child’s (E13)', async () => {
    const { supervisor, model } = delegating([
      { text: 'a private thought', toolCalls: [{ name: 'note', input: { text: 'a' } }] },
      { text: 'child done' },
    ]);

    const outcome = await run(supervisor);

    expect(supervisor.transcript(outcome.taskId).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const transcript = JSON.stringify(supervisor.transcript(outcome.taskId));
    expect(transcript).not.toContain('a private thought');
    expect(JSON.stringify(model.requests())).toContain('a private thought');
  });

  it('shares the file system with its parent (E14)', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'troupe-task-'));
    try {
      const { supervisor, model } = supervise(
        {
          agents: {
            parent: [
              { toolCalls: [{ name: 'task', input: { prompt: 'Make it.' } }] },
              { toolCalls: [{ name: 'read', input: { path: 'made.txt' } }] },
              { text: 'read it' },
            ],
            task: [
              {
                toolCalls: [
                  { name: 'write', input: { path: 'made.txt', content: 'by the child' } },
                ],
              },
              { text: 'written' },
            ],
          },
        },
        { workspace, tools: [taskTool({ toolsets: ['file'] })] },
      );

      await within(
        supervisor.delegate({ goal: 'Begin.', agent: { name: 'parent', toolsets: ['file'] } }),
        'the outcome',
      );

      expect(await readFile(join(workspace, 'made.txt'), 'utf8')).toBe('by the child');
      const results = resultsIn(model.requests().at(-1)?.messages.at(-1));
      expect(JSON.stringify(results)).toContain('by the child');
    } finally {
      await rm(workspace, { recursive: true });
    }
  });

  it('is an error result when its child failed, with the reason (E12)', async () => {
    const { supervisor, model } = delegating([{ throw: { status: 401, message: 'no such key' } }]);

    await run(supervisor);

    const results = resultsIn(model.requests().at(-1)?.messages.at(-1));
    expect(results).toMatchObject([{ is_error: true }]);
    expect(JSON.stringify(results)).toContain('no such key');
  });
});
